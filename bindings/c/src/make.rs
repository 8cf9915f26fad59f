//! Making tables in memory.

use crate::failure::{Failure, guard};
use crate::lasca_tb_status::{self, *};
use crate::pointers::{or_default, put, shared};
use crate::search::Follower;
use crate::{assert_layout, lasca_tb, lasca_tb_limits, lasca_tb_position};
use lasca_tablebase::Progress;
use lasca_tablebase::generate::{GenerateError, MakeLimits, MakePlan, MakeProgress};
use lasca_tablebase::index::Material;
use lasca_tablebase::internals::beside;
use lasca_tablebase::probe::Tablebase;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What it takes to make a table, as lasca_tb_plan() tells it. 32 bytes: positions is at 0, memory_bytes at 8,
/// milliseconds at 16, white at 24, black at 25, max_columns at 26, reserved at 27.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct lasca_tb_make_plan {
    /// How many positions it has. 0 if there is nothing to make, and then all other fields are 0 too.
    pub positions: u64,
    /// How much memory it takes at the busiest time, in bytes. The table itself takes less.
    pub memory_bytes: u64,
    /// About how long it takes on this machine.
    pub milliseconds: u64,
    /// The number of White's counters. The table also serves the material with the colours exchanged.
    pub white: u8,
    /// The number of Black's counters.
    pub black: u8,
    /// The greatest number of columns in its positions.
    pub max_columns: u8,
    /// 0.
    pub reserved: [u8; 5],
}

assert_layout!(lasca_tb_make_plan: 32, aligned to 8;
    positions at 0, memory_bytes at 8, milliseconds at 16,
    white at 24, black at 25, max_columns at 26, reserved at 27);

impl From<&MakePlan> for lasca_tb_make_plan {
    fn from(plan: &MakePlan) -> lasca_tb_make_plan {
        let (material, columns) = (plan.extent.material(), plan.extent.columns());
        lasca_tb_make_plan {
            positions: plan.positions,
            memory_bytes: plan.memory,
            milliseconds: plan.time.as_micros().div_ceil(1000) as u64,
            // A material has 22 counters at most.
            white: material.white() as u8,
            black: material.black() as u8,
            max_columns: *columns.end() as u8,
            reserved: [0; 5],
        }
    }
}

/// Tells what it takes to make the table that a position needs: that of its counters with at most as many
/// columns as it has, since no move makes them more. If the position has soldiers, no table knows it, but a
/// search of it meets positions of that table. There is nothing to make if an open table covers all
/// these positions with distances, if there can be no table of them, or if their table is damaged.
///
/// \param tables The open tables.
/// \param position The position.
/// \param limits Of these, memory_bytes and threads matter: where there is not enough memory for all threads, fewer of
/// them are planned. The plan may exceed the limits all the same. NULL means the default limits.
/// \param plan Receives what it takes.
/// \return LASCA_TB_OK. Fails with LASCA_TB_BAD_ARGUMENT or LASCA_TB_NOT_A_POSITION if the position is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_plan(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    limits: *const lasca_tb_limits,
    plan: *mut lasca_tb_make_plan,
) -> lasca_tb_status {
    // SAFETY: as the header asks.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let found = plan_for(tables, position, &or_default(limits).of_making())?;
        put(plan, "plan", found.as_ref().map(Into::into).unwrap_or_default())
    })
}

/// Makes the table that lasca_tb_plan() plans, in memory. The handle has it from then on, in place of one
/// that covers less, and so have searches that begin later. Other threads can use the handle meanwhile.
/// If another thread is making a table, this waits for it. lasca_tb_load() makes the table quicker to look up.
///
/// \param tables The open tables.
/// \param position The position.
/// \param limits What making it may take, by plan. NULL means the default limits.
/// \return LASCA_TB_OK, also if there was nothing to make, or progress has stopped the work. Fails with
/// LASCA_TB_TOO_LARGE if the plan exceeds the limits; with LASCA_TB_NO_MEMORY if the system refuses memory or
/// threads; and as lasca_tb_plan() does. If it fails or is stopped, the tables are as before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lasca_tb_make(
    tables: *const lasca_tb,
    position: *const lasca_tb_position,
    limits: *const lasca_tb_limits,
) -> lasca_tb_status {
    // SAFETY: as the header asks; `progress` may be called.
    guard(|| unsafe {
        let (tables, position) = (&shared(tables, "tables")?.tables, shared(position, "position")?);
        let given = or_default(limits);
        let limits = given.of_making();
        let Some(plan) = plan_for(tables, position, &limits)? else { return Ok(()) };
        if !plan.fits(&limits) {
            return Err(too_large(&plan, &limits));
        }
        match make(tables, &plan, &Follower::new(&given)) {
            Err(GenerateError::Stopped { .. }) => Ok(()),
            made => Ok(made?),
        }
    })
}

impl lasca_tb_limits {
    /// What making a table may take.
    fn of_making(&self) -> MakeLimits {
        let mut limits = MakeLimits { threads: self.threads(), ..MakeLimits::default() };
        if self.make_milliseconds != 0 {
            limits.time = Duration::from_millis(self.make_milliseconds);
        }
        if self.memory_bytes != 0 {
            limits.memory = self.memory_bytes;
        }
        limits
    }
}

/// The plan for the table of all positions of officers that may come up after this one.
fn plan_for(
    tables: &Tablebase,
    position: &lasca_tb_position,
    limits: &MakeLimits,
) -> Result<Option<MakePlan>, Failure> {
    let position = position.position()?;
    // A side without counters has lost, and there is no table.
    let material = Material::of(&position).ok();
    Ok(material.and_then(|it| tables.plan_of(it, position.occupied().len(), limits)))
}

fn too_large(plan: &MakePlan, limits: &MakeLimits) -> Failure {
    let (MakePlan { extent, time, memory, .. }, most) = (plan, limits);
    let message = format!(
        "expected a table that takes at most {:?} and {} bytes of memory, found that {} with up to {} \
         columns takes about {time:.0?} and {memory} bytes",
        most.time,
        most.memory,
        extent.material(),
        extent.columns().end(),
    );
    Failure::new(LASCA_TB_TOO_LARGE, message)
}

/// How often the program is asked whether to go on.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// Makes a table in a thread of its own. The program is asked in this one meanwhile.
pub(crate) fn make(
    tables: &Tablebase,
    plan: &MakePlan,
    follower: &Follower,
) -> Result<(), GenerateError> {
    let done = Mutex::new(0.0);
    let tell = |share: f64| *done.lock().unwrap_or_else(PoisonError::into_inner) = share;
    let should_stop = || follower.should_stop();
    let work = || tables.make(plan, &MakeProgress::new(&tell, &should_stop)).map(drop);
    let made = beside(work, ASK_EVERY, || {
        let share = *done.lock().unwrap_or_else(PoisonError::into_inner);
        let positions = (share * plan.positions as f64) as u64;
        follower.ask(positions, 0);
    });
    // Without a thread, the program is not asked.
    made.unwrap_or_else(|_| work())
}

impl From<GenerateError> for Failure {
    fn from(error: GenerateError) -> Failure {
        // There are no files, so the system has refused memory or a thread.
        let status = if error.is_negative() { LASCA_TB_TOO_LARGE } else { LASCA_TB_NO_MEMORY };
        Failure::new(status, error)
    }
}
