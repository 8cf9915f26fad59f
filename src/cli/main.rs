//! The command line of the Lasca tablebases.
use lasca_tablebase::{Progress, Value, index::*, rules::*, solve::*};
struct P;
impl Progress for P {
    fn ply_done(&self, p: u16, s: u64) {
        if p % 10 == 0 {
            eprintln!("{p} {s}")
        }
    }
    fn slice_started(&self, _: Material, c: usize, p: u64) {
        eprintln!("slice {c} {p}")
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let m: Material = a[1].parse().unwrap();
    let rules: RuleSet = a.get(2).map_or(RuleSet::Lasca, |r| r.parse().unwrap());
    let t = std::time::Instant::now();
    let solved = Solver::new(m, rules).solve(&P).unwrap();
    eprintln!(
        "{:?} {} positions {:.1} M/s",
        t.elapsed(),
        m.positions_to_store(),
        m.positions_to_store() as f64 / t.elapsed().as_secs_f64() / 1e6
    );
    for (i, side) in m.stored_sides().iter().enumerate() {
        let (mut w, mut d, mut l, mut mw, mut ml) = (0u64, 0, 0, 0, 0);
        for (j, s) in solved[i].iter().enumerate() {
            let idx = SliceIndex::new(m.counters(*side), m.counters(!*side), j + 2).unwrap();
            let (mut cw, mut cd, mut cl) = (0u64, 0u64, 0u64);
            for b in 0..idx.blocks() {
                let wt = idx.sets().orbit_len(b) as u64;
                for o in 0..idx.block_len() {
                    match s.value((b * idx.block_len() + o) as u64) {
                        Value::Win(p) => {
                            cw += wt;
                            mw = mw.max(p)
                        }
                        Value::Draw => cd += wt,
                        Value::Loss(p) => {
                            cl += wt;
                            ml = ml.max(p)
                        }
                    }
                }
            }
            println!("  {side} {} columns: {cw} {cd} {cl}", j + 2);
            w += cw;
            d += cd;
            l += cl;
        }
        println!("{rules} {m} {side} {w} {d} {l} {mw} {ml}");
    }
}
