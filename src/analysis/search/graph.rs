//! All positions that a search has met, each once, with their moves and numbers.
//!
//! A position that was met has a node of 32 bytes, which never goes away and is known by its number.
//! A node that was expanded has a list of the nodes that its moves lead to. Nodes are found by key
//! in a table of slots, each of 4 bytes, where a slot holds the number of a node and, in the bits
//! that the number leaves, a part of the hash.
//!
//! Nodes are read and changed by several threads at once, so they consist of atomic numbers. None
//! of these depends on another one but as said at [`Writer::insert`] and [`Writer::set_children`].
//! Only [`Graph::reserve`] moves memory, and it needs the graph for itself.
//!
//! Each thread takes places for many nodes and moves at once, so that threads seldom wait for each
//! other, and do not write beside each other.

use super::key::Key;
use super::memory::{Full, Held, Memory};
use super::numbers::{Attacker, Numbers};
use super::shared::{AtomicU32, AtomicU64};
use lasca_tablebase::internals::{Threads, prefetch};
use lasca_tablebase::rules::MOST_MOVES;
use std::ops::Range;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of a node: its place in the order of meeting.
pub(super) type NodeId = u32;

const NODES_IN_CHUNK: usize = if cfg!(loom) { 4 } else { 1 << 14 };
const EDGES_IN_CHUNK: usize = if cfg!(loom) { 4 } else { 1 << 16 };
/// A thread takes places for this many nodes at once, and for this many moves.
const NODES_AT_ONCE: u32 = if cfg!(loom) { 2 } else { 64 };
const EDGES_AT_ONCE: u64 = if cfg!(loom) { 2 } else { 512 };
/// The fewest slots.
const MIN_SLOTS: usize = if cfg!(loom) { 8 } else { 1 << 12 };
/// Slots are doubled when more than this part of them is in use.
const LOAD: (usize, usize) = (3, 4);
/// The processor fetches this many slots at once when nodes are put into new ones.
const AHEAD: usize = 16;
/// What a pass needs beside the graph: for each node and for each move.
const PASS_NODE_BYTES: u64 = 8;
const PASS_EDGE_BYTES: u64 = 4;

/// A position that was met. A place that is not in use is all zero, but for `scratch`, and no list of
/// moves leads to it. It counts as answered, and as not expanded, so a pass over the graph changes
/// nothing there. No position has the key zero.
///
/// ```text
/// marks: 8 bits of the sum of visitors | 8 bits of their count | 1 expanded | 15 bits of move count
/// ```
///
/// No node lies across two lines of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(32))]
pub(super) struct Node {
    counters: AtomicU64,
    places: AtomicU32,
    numbers: [AtomicU32; 2],
    first_edge: AtomicU32,
    marks: AtomicU32,
    /// Free for a pass over the graph to use.
    pub(super) scratch: AtomicU32,
}

const COUNT: u32 = 0x7fff;
const _: () = assert!(MOST_MOVES <= COUNT as usize);
const EXPANDED: u32 = 1 << 15;
const VISITORS: u32 = 16;
const VISITORS_SUM: u32 = 24;
/// The most nodes: their slots must leave bits for a part of the hash.
const MAX_NODES: usize = 3 << 29;
/// The most threads that can search one graph: this many visitors of a node can be counted.
pub(super) const MAX_THREADS: usize = 255;

/// The threads on whose present lines a position is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Visitors {
    pub(super) count: u8,
    /// The sum of their numbers, without what does not fit: the number of the thread if there is only one.
    pub(super) sum: u8,
}

impl Node {
    pub(super) fn key(&self) -> Key {
        Key { places: self.places.load(Relaxed), counters: self.counters.load(Relaxed) }
    }

    #[inline]
    pub(super) fn numbers(&self, attacker: Attacker) -> Numbers {
        Numbers::from_bits(self.numbers[attacker as usize].load(Relaxed))
    }

    /// Stores the numbers of one question. A question that is answered stays so.
    #[inline]
    pub(super) fn set_numbers(&self, attacker: Attacker, numbers: Numbers) {
        let place = &self.numbers[attacker as usize];
        if numbers.is_final() {
            place.store(numbers.to_bits(), Relaxed);
            // Where one side wins, the other does not. Both questions then have the same numbers.
            if numbers == Numbers::won(attacker) {
                let other = &self.numbers[attacker.next() as usize];
                other.store(numbers.to_bits(), Relaxed);
            }
        } else {
            // Another thread may have answered it meanwhile.
            let open = |bits| (!Numbers::from_bits(bits).is_final()).then_some(numbers.to_bits());
            #[allow(deprecated, reason = "`try_update`, its new name, came with Rust 1.95")]
            let _ = place.fetch_update(Relaxed, Relaxed, open);
        }
    }

    /// Whether it is proved that the attacker wins.
    pub(super) fn is_won(&self, attacker: Attacker) -> bool {
        self.numbers(attacker).of_win(attacker).0 == 0
    }

    /// Whether it is proved that the attacker does not win.
    pub(super) fn is_lost(&self, attacker: Attacker) -> bool {
        self.numbers(attacker).of_win(attacker).1 == 0
    }

    /// Whether both questions are answered.
    pub(super) fn is_answered(&self) -> bool {
        Attacker::BOTH.iter().all(|&attacker| self.numbers(attacker).is_final())
    }

    pub(super) fn is_expanded(&self) -> bool {
        self.marks.load(Acquire) & EXPANDED != 0
    }

    fn is_in_use(&self) -> bool {
        self.places.load(Relaxed) != 0
    }

    /// Writes what a new node has, or takes it back.
    fn write(&self, key: Key, numbers: [u32; 2]) {
        self.counters.store(key.counters, Relaxed);
        self.places.store(key.places, Relaxed);
        for (place, numbers) in self.numbers.iter().zip(numbers) {
            place.store(numbers, Relaxed);
        }
    }

    #[inline]
    pub(super) fn visitors(&self) -> Visitors {
        let marks = self.marks.load(Relaxed);
        Visitors { count: (marks >> VISITORS) as u8, sum: (marks >> VISITORS_SUM) as u8 }
    }

    /// The thread has the position on its line now. A position is on a line only once.
    pub(super) fn enter(&self, thread: u8) {
        self.marks.fetch_add(visitor(thread), Relaxed);
    }

    pub(super) fn leave(&self, thread: u8) {
        self.marks.fetch_sub(visitor(thread), Relaxed);
    }
}

/// What a visitor adds to the marks of a node. What does not fit into the sum is lost at the upper end.
const fn visitor(thread: u8) -> u32 {
    1 << VISITORS | (thread as u32) << VISITORS_SUM
}

/// The table of positions. See the [module](self).
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) memory: Memory,
    nodes: Vec<Held<Node>>,
    edges: Vec<Held<AtomicU32>>,
    counts: Counts,
    slots: Option<Held<AtomicU32>>,
    /// What writers have taken and not used.
    left: Mutex<Vec<Places>>,
    #[cfg(feature = "learn")]
    pub(super) history: super::history::History,
}

/// What threads change while they walk. All of them read the rest of the graph all the time, which therefore
/// stands in other lines of the processor's cache.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counts {
    met: AtomicU32,
    edges_used: AtomicU64,
    expanded: AtomicU64,
}

/// How large a graph is to become, and how many bytes more that takes.
pub(super) struct Room {
    node_chunks: usize,
    edge_chunks: usize,
    slots: usize,
    pub(super) bytes: u64,
}

impl Graph {
    /// An empty graph that may hold this many bytes.
    pub(super) fn new(bytes: u64) -> Graph {
        Graph { memory: Memory::new(bytes), ..Graph::default() }
    }

    /// How many positions have been met, with the places that threads have taken for others.
    pub(super) fn len(&self) -> usize {
        self.counts.met.load(Relaxed) as usize
    }

    /// How many positions have been met, while no thread adds any.
    pub(super) fn in_use(&self) -> usize {
        let left: usize = self.left().iter().map(|places| places.nodes.len()).sum();
        self.len() - left
    }

    /// How many positions have been expanded.
    pub(super) fn expanded(&self) -> u64 {
        self.counts.expanded.load(Relaxed)
    }

    /// How many places for moves are in use.
    pub(super) fn edges_used(&self) -> u64 {
        self.counts.edges_used.load(Relaxed)
    }

    #[inline]
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize / NODES_IN_CHUNK][id as usize % NODES_IN_CHUNK]
    }

    pub(super) fn ids(&self) -> std::ops::Range<NodeId> {
        0..self.counts.met.load(Relaxed)
    }

    /// The nodes that the moves of a node lead to, each once; none if it was not expanded.
    #[inline]
    pub(super) fn children(&self, node: &Node) -> &[AtomicU32] {
        let marks = node.marks.load(Acquire);
        if marks & EXPANDED == 0 {
            return &[];
        }
        let (first, count) = (node.first_edge.load(Acquire) as usize, (marks & COUNT) as usize);
        if count == 0 {
            return &[];
        }
        let start = first % EDGES_IN_CHUNK;
        &self.edges[first / EDGES_IN_CHUNK][start..start + count]
    }

    /// The node with this key, if the position was met.
    pub(super) fn id_of(&self, key: Key) -> Option<NodeId> {
        self.look_up(self.slots.as_deref()?, key, key.hash()).ok()
    }

    /// Tells the processor that a key will be looked up soon.
    #[inline]
    pub(super) fn prefetch_slot(&self, key: Key) {
        let slots = self.slots.as_deref().unwrap_or_default();
        slots
            .get(key.hash() as usize & slots.len().wrapping_sub(1))
            .inspect(|slot| prefetch(*slot));
    }

    /// Tells it so when the slot is at hand: the node is needed next, if the slot names one that may have
    /// the key.
    #[inline]
    pub(super) fn prefetch_node(&self, key: Key) {
        let slots = self.slots.as_deref().unwrap_or_default();
        let (hash, last) = (key.hash(), slots.len().wrapping_sub(1));
        let slot = slots.get(hash as usize & last).map_or(0, |slot| slot.load(Relaxed));
        if slot != 0 && slot & !(last as u32) == tag_of(hash, slots.len().trailing_zeros()) {
            prefetch(self.node((slot & last as u32) - 1));
        }
    }

    /// The node with this key, or the slot where it belongs.
    #[inline]
    fn look_up(&self, slots: &[AtomicU32], key: Key, hash: u64) -> Result<NodeId, usize> {
        let last = slots.len() - 1;
        let bits = slots.len().trailing_zeros();
        let tag = tag_of(hash, bits);
        let mut at = hash as usize & last;
        loop {
            let slot = slots[at].load(Acquire);
            if slot == 0 {
                return Err(at);
            }
            if slot & !(last as u32) == tag {
                let id = (slot & last as u32) - 1;
                if self.node(id).key() == key {
                    return Ok(id);
                }
            }
            at = (at + 1) & last;
        }
    }

    /// What a thread adds to the graph.
    pub(super) fn writer(&self) -> Writer<'_> {
        let left = self.left().pop().unwrap_or_default();
        Writer { graph: self, met: self.len() as u32, left, expanded: 0 }
    }

    fn left(&self) -> MutexGuard<'_, Vec<Places>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for this many nodes and moves more, and sees to it that a pass will have room too.
    pub(super) fn reserve(
        &mut self,
        nodes: usize,
        edges: usize,
        threads: Threads,
    ) -> Result<(), Full> {
        let room = self.room_for(nodes, edges)?;
        // What does not fit as a whole takes nothing.
        self.memory.check_room(room.bytes)?;
        self.add_chunks(room.node_chunks, room.edge_chunks, threads)?;
        match room.slots == self.slots_len() {
            true => Ok(()),
            false => self.make_slots(room.slots, threads),
        }
    }

    /// The room for this many nodes and moves more, and for a pass. It may be there already.
    pub(super) fn room_for(&self, nodes: usize, edges: usize) -> Result<Room, Full> {
        let (nodes, edges) = (self.len() + nodes, self.edges_used() as usize + edges);
        if nodes > MAX_NODES || edges > 1 << 31 {
            return Err(Full);
        }
        let node_chunks = nodes.div_ceil(NODES_IN_CHUNK).max(self.nodes.len());
        // Lists do not cross from one chunk into the next.
        let edge_chunks = (edges.div_ceil(EDGES_IN_CHUNK) + 1).max(self.edges.len());
        let slots = slots_for(node_chunks * NODES_IN_CHUNK).max(self.slots_len());
        let pass = (node_chunks * NODES_IN_CHUNK) as u64 * PASS_NODE_BYTES
            + (edge_chunks * EDGES_IN_CHUNK) as u64 * PASS_EDGE_BYTES;
        let nodes = ((node_chunks - self.nodes.len()) * NODES_IN_CHUNK) as u64;
        let edges = ((edge_chunks - self.edges.len()) * EDGES_IN_CHUNK) as u64;
        let added = nodes * size_of::<Node>() as u64 + edges * size_of::<NodeId>() as u64;
        // The old and the new slots are held at the same time, but not while a pass is held too.
        let [old, new] =
            [self.slots_len(), slots].map(|slots| (slots * size_of::<NodeId>()) as u64);
        let beside = if new == old { pass } else { new.max((new + pass).saturating_sub(old)) };
        Ok(Room { node_chunks, edge_chunks, slots, bytes: added + beside })
    }

    fn slots_len(&self) -> usize {
        self.slots.as_ref().map_or(0, |slots| slots.len())
    }

    /// Adds chunks until there are so many.
    fn add_chunks(&mut self, nodes: usize, edges: usize, threads: Threads) -> Result<(), Full> {
        let memory = &self.memory;
        let node_chunk = |_, _: &mut ()| memory.allocate(NODES_IN_CHUNK, Threads::ONE);
        let edge_chunk = |_, _: &mut ()| memory.allocate(EDGES_IN_CHUNK, Threads::ONE);
        let (nodes, edges) = (nodes - self.nodes.len(), edges - self.edges.len());
        self.nodes.extend(threads.at_most(nodes / 8).map(nodes, || (), node_chunk)?);
        self.edges.extend(threads.at_most(edges / 8).map(edges, || (), edge_chunk)?);
        Ok(())
    }

    /// Makes this many slots, and puts all nodes into them.
    fn make_slots(&mut self, wanted: usize, threads: Threads) -> Result<(), Full> {
        let slots: Held<AtomicU32> = self.memory.allocate(wanted, threads)?;
        let (last, bits) = (wanted - 1, wanted.trailing_zeros());
        let put = |id: NodeId, hash: u64| {
            let slot = (id + 1) | tag_of(hash, bits);
            let mut at = hash as usize & last;
            loop {
                if slots[at].load(Relaxed) == 0 {
                    // What is locked takes longer.
                    if threads.is_one() {
                        return slots[at].store(slot, Relaxed);
                    }
                    if slots[at].compare_exchange(0, slot, Relaxed, Relaxed).is_ok() {
                        return;
                    }
                }
                at = (at + 1) & last;
            }
        };
        let put_chunk = |chunk: usize, _: &mut ()| {
            let ids = (chunk * NODES_IN_CHUNK) as NodeId..;
            for (first, nodes) in ids.step_by(AHEAD).zip(self.nodes[chunk].chunks(AHEAD)) {
                let mut hashes = [0; AHEAD];
                for (hash, node) in hashes.iter_mut().zip(nodes) {
                    *hash = node.key().hash();
                    prefetch(&slots[*hash as usize & last]);
                }
                for (id, (node, hash)) in (first..).zip(nodes.iter().zip(hashes)) {
                    if node.is_in_use() {
                        put(id, hash);
                    }
                }
            }
            Ok(())
        };
        threads.map(self.len().div_ceil(NODES_IN_CHUNK), || (), put_chunk)?;
        self.slots = Some(slots);
        Ok(())
    }
}

/// How many slots this many nodes need.
fn slots_for(nodes: usize) -> usize {
    (nodes * LOAD.1).div_ceil(LOAD.0).next_power_of_two().max(MIN_SLOTS)
}

/// Places for nodes and for moves.
#[derive(Debug, Default)]
struct Places {
    nodes: Range<NodeId>,
    edges: Range<u64>,
}

/// What one thread adds to the graph. What it has taken and not used is given back in the end: then
/// there is no unused place below one in use, if this thread was alone.
///
/// What is given back may have been written and cleared, so it is released, and acquired by who takes it.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    graph: &'a Graph,
    /// How many positions have been met, as far as this thread knows.
    met: u32,
    left: Places,
    expanded: u64,
}

impl Writer<'_> {
    /// How many positions had been met when this thread took places or looked last, without the places that
    /// it has left.
    pub(super) fn len(&self) -> usize {
        self.met as usize - self.left.nodes.len()
    }

    /// Looks how many positions other threads have met. What they change is slow to read.
    pub(super) fn look(&mut self) {
        self.met = self.graph.len() as u32;
    }

    /// The node of a position, which is added with the numbers that `first` gives if it was not met
    /// before; and whether it was added. There must be room for it: see [`Graph::reserve`].
    ///
    /// A node is written first and then put into its slot (released there, acquired by who finds
    /// it), so whoever finds a node finds it whole. A thread that comes too late uses the place for
    /// its next node.
    pub(super) fn insert(
        &mut self,
        key: Key,
        first: impl FnOnce() -> [Numbers; 2],
    ) -> Result<(NodeId, bool), Full> {
        let graph = self.graph;
        let hash = key.hash();
        let slots = graph.slots.as_deref().ok_or(Full)?;
        let mut at = match graph.look_up(slots, key, hash) {
            Ok(id) => return Ok((id, false)),
            Err(at) => at,
        };
        let last = slots.len() - 1;
        let id = self.next_node()?;
        let node = graph.node(id);
        node.write(key, first().map(Numbers::to_bits));
        let slot = (id + 1) | tag_of(hash, slots.len().trailing_zeros());
        loop {
            match slots[at].compare_exchange(0, slot, AcqRel, Acquire) {
                Ok(_) => {
                    self.left.nodes.start += 1;
                    return Ok((id, true));
                }
                Err(taken) if graph.node((taken & last as u32) - 1).key() == key => {
                    node.write(Key::default(), [0; 2]);
                    return Ok(((taken & last as u32) - 1, false));
                }
                Err(_) => at = (at + 1) & last,
            }
        }
    }

    /// The first place for a node that is not in use.
    #[inline]
    fn next_node(&mut self) -> Result<NodeId, Full> {
        if self.left.nodes.is_empty() {
            let room = (self.graph.nodes.len() * NODES_IN_CHUNK) as u32;
            let end = |met: u32| room.min(met + NODES_AT_ONCE);
            let take = |met: u32| (met < room).then(|| end(met));
            #[allow(deprecated, reason = "`try_update`, its new name, came with Rust 1.95")]
            let met =
                self.graph.counts.met.fetch_update(Acquire, Relaxed, take).map_err(|_| Full)?;
            self.left.nodes = met..end(met);
            self.met = end(met);
        }
        Ok(self.left.nodes.start)
    }

    /// Makes a node an expanded one with these children, at most [`MOST_MOVES`].
    ///
    /// The list is written first, then the count (released there, acquired by
    /// [`Graph::children`]). If two threads expand a node at once, both lists are good.
    pub(super) fn set_children(&mut self, node: &Node, children: &[NodeId]) -> Result<(), Full> {
        let first = self.next_edges(children.len() as u64)?;
        if !children.is_empty() {
            let start = first as usize % EDGES_IN_CHUNK;
            let list = &self.graph.edges[first as usize / EDGES_IN_CHUNK][start..];
            list.iter().zip(children).for_each(|(edge, &child)| edge.store(child, Relaxed));
        }
        // A reader may see the count of one thread and the list of another: both lists are the same.
        node.first_edge.store(first as u32, Release);
        node.marks.fetch_or(children.len() as u32 | EXPANDED, Release);
        self.expanded += 1;
        Ok(())
    }

    /// Takes places for a list of moves, which does not cross from one chunk into the next.
    #[inline]
    fn next_edges(&mut self, length: u64) -> Result<u64, Full> {
        let chunk = EDGES_IN_CHUNK as u64;
        let place = |used: u64| {
            if used % chunk + length > chunk { used.next_multiple_of(chunk) } else { used }
        };
        let edges = &mut self.left.edges;
        let mut first = place(edges.start);
        if first + length > edges.end {
            let room = self.graph.edges.len() as u64 * chunk;
            let end = |first: u64| room.min(first + length.max(EDGES_AT_ONCE));
            let take = |used: u64| {
                // What this thread has left goes on to there, if no other thread has taken anything.
                let first = place(if used == edges.end { edges.start } else { used });
                (first + length <= room).then(|| end(first))
            };
            let used = &self.graph.counts.edges_used;
            #[allow(deprecated, reason = "`try_update`, its new name, came with Rust 1.95")]
            let used = used.fetch_update(Relaxed, Relaxed, take).map_err(|_| Full)?;
            first = place(if used == edges.end { edges.start } else { used });
            edges.end = end(first);
        }
        edges.start = first + length;
        Ok(first)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let Writer { graph, left: Places { nodes, edges }, expanded, .. } = self;
        graph.counts.expanded.fetch_add(*expanded, Relaxed);
        if graph.counts.met.compare_exchange(nodes.end, nodes.start, Release, Relaxed).is_ok() {
            nodes.end = nodes.start;
        }
        if graph
            .counts
            .edges_used
            .compare_exchange(edges.end, edges.start, Relaxed, Relaxed)
            .is_ok()
        {
            edges.end = edges.start;
        }
        graph.left().push(std::mem::take(&mut self.left));
    }
}

/// The part of a hash that stands in a slot, above as many bits as number the nodes.
#[inline]
fn tag_of(hash: u64, bits: u32) -> u32 {
    (hash >> 32) as u32 >> bits << bits
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    #[test]
    fn loom_whoever_finds_a_node_or_a_list_of_moves_finds_it_whole() {
        // Both keys belong into one slot.
        let keys = keys_of_one_slot();
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(move || {
            let mut graph = Graph::new(1 << 20);
            graph.reserve(6, 6, Threads::ONE).unwrap();
            let graph = Arc::new(graph);
            let numbers = [Numbers::open(1, 7); 2];
            let add = move |graph: &Graph, keys: [Key; 2]| {
                let mut writer = graph.writer();
                for key in keys {
                    let (id, _) = writer.insert(key, || numbers).unwrap();
                    let node = graph.node(id);
                    assert_eq!((node.key(), node.numbers(Attacker::Mover)), (key, numbers[0]));
                    if !node.is_expanded() {
                        // Any move will do that is the same for all threads.
                        writer.set_children(node, &[key.places]).unwrap();
                    }
                    let children: Vec<u32> =
                        graph.children(node).iter().map(|child| child.load(Relaxed)).collect();
                    assert_eq!(children, [key.places]);
                }
            };
            let other = {
                let graph = graph.clone();
                thread::spawn(move || add(&graph, keys))
            };
            add(&graph, [keys[1], keys[0]]);
            other.join().unwrap();
            assert_eq!((graph.in_use(), graph.expanded() >= 2), (2, true));
            for key in keys {
                assert_eq!(graph.node(graph.id_of(key).unwrap()).key(), key);
            }
        });
    }

    #[test]
    fn loom_an_answer_stays_whatever_numbers_another_thread_stores() {
        loom::model(|| {
            let node = Arc::new(Node::default());
            node.set_numbers(Attacker::Mover, Numbers::open(3, 4));
            let other = {
                let node = node.clone();
                thread::spawn(move || node.set_numbers(Attacker::Mover, Numbers::open(5, 6)))
            };
            node.set_numbers(Attacker::Mover, Numbers::FAILED);
            other.join().unwrap();
            assert!(node.numbers(Attacker::Mover).is_failed());
        });
    }

    fn keys_of_one_slot() -> [Key; 2] {
        let slot = |key: &Key| key.hash() as usize % MIN_SLOTS;
        let mut keys = tests::keys(100).into_iter();
        let first = keys.next().unwrap();
        [first, keys.find(|key| slot(key) == slot(&first)).unwrap()]
    }
}

#[cfg(test)]
mod tests;
