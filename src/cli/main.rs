//! `lasca-tb`, the command line of the Lasca endgame tablebases: see `lib.rs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse4.2"))]
    if !has_level_2() {
        eprintln!(
            "lasca-tb: expected a processor of the level x86-64-v2 (with SSE 4.2 and POPCNT), found an older one; \
             build the program for it: RUSTFLAGS=\"-C target-cpu=x86-64\" cargo install --locked --path src/cli"
        );
        return ExitCode::from(2);
    }
    lasca_tb_cli::main()
}

/// Whether the processor has the instructions that `.cargo/config.toml` asks for. Without them, the program would be
/// ended by a signal. `is_x86_feature_detected` says yes wherever the compiler may use them.
#[cfg(all(target_arch = "x86_64", target_feature = "sse4.2"))]
fn has_level_2() -> bool {
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT.
    const BITS: u32 = 1 | 1 << 9 | 1 << 13 | 1 << 19 | 1 << 20 | 1 << 23;
    #[allow(unused_unsafe, reason = "it is safe in newer versions of Rust")]
    // SAFETY: all processors of x86-64 have this instruction and leaf 1.
    let found = unsafe { std::arch::x86_64::__cpuid(1) };
    found.ecx & BITS == BITS
}
