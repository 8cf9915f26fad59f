//! Tests of the graph: what is added is found again, by one thread or several.

use super::*;
use lasca_common::numbers::Numbers as RandomNumbers;
use std::num::NonZero;

pub(super) fn keys(count: usize) -> Vec<Key> {
    let mut random = RandomNumbers(5);
    let mut keys: Vec<Key> =
        (0..count).map(|_| Key::of(&random.position(12, 9, b"wbWB"))).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

#[test]
fn positions_and_their_moves_are_found_again_after_the_graph_has_grown() {
    let keys = keys(50_000);
    let mut graph = Graph::new(1 << 26);
    let children = |id: NodeId| (0..id % 8).map(|i| i * 3).collect::<Vec<_>>();
    let threads = Threads::new(NonZero::new(3));
    for (id, &key) in (0..).zip(&keys) {
        graph.reserve(1, 8, threads).unwrap();
        let first = [Numbers::open(id + 1, 7); 2];
        let mut writer = graph.writer();
        assert_eq!(writer.insert(key, || first), Ok((id, true)));
        assert_eq!(writer.insert(key, || first), Ok((id, false)));
        writer.set_children(graph.node(id), &children(id)).unwrap();
    }
    for (id, &key) in (0..).zip(&keys) {
        assert_eq!(graph.id_of(key), Some(id));
        let node = graph.node(id);
        let found = graph.children(node).iter().map(|child| child.load(Relaxed));
        assert_eq!((node.key(), found.collect()), (key, children(id)));
    }
    assert_eq!(graph.len(), keys.len());
    assert_eq!(graph.id_of(Key::of(&lasca_tablebase::rules::Position::start())), None);
}

#[test]
fn threads_that_meet_the_same_positions_add_each_of_them_once() {
    let keys = keys(20_000);
    let mut graph = Graph::new(1 << 26);
    for keys in keys.chunks(1000) {
        graph.reserve(keys.len() + 256, keys.len() + 2048, Threads::ONE).unwrap();
        let add = |thread| {
            let mut writer = graph.writer();
            let mut added = 0;
            for &key in keys {
                let first = || [Numbers::open(thread as u32 + 1, 7); 2];
                let (id, is_new) = writer.insert(key, first).unwrap();
                writer.set_children(graph.node(id), &[id]).unwrap();
                added += usize::from(is_new);
            }
            added
        };
        let added: usize = std::thread::scope(|scope| {
            let handles = [0, 1, 2].map(|thread| scope.spawn(move || add(thread)));
            handles.into_iter().map(|handle| handle.join().unwrap()).sum()
        });
        assert_eq!(added, keys.len());
    }
    for &key in &keys {
        let id = graph.id_of(key).unwrap();
        assert_eq!(graph.node(id).key(), key);
        assert_eq!(graph.children(graph.node(id))[0].load(Relaxed), id);
    }
    let in_use = graph.ids().filter(|&id| graph.node(id).is_in_use()).count();
    assert_eq!((in_use, graph.in_use()), (keys.len(), keys.len()));
    assert!(graph.len() < in_use + 3 * NODES_AT_ONCE as usize);
}

#[test]
fn an_answer_is_kept_and_tells_of_the_other_question() {
    let node = Node::default();
    node.set_numbers(Attacker::Mover, Numbers::open(3, 4));
    node.set_numbers(Attacker::Other, Numbers::FAILED);
    assert!(node.numbers(Attacker::Mover).is_failed());
    node.set_numbers(Attacker::Mover, Numbers::open(3, 4));
    assert!(node.numbers(Attacker::Mover).is_failed());
}
