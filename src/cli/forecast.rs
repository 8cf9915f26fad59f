//! How long work will still take.

use std::time::{Duration, Instant};

/// The least share of the work that tells how fast it goes on.
const LEAST: f64 = 0.01;

/// How fast work goes on, and how long it will still take. Work comes in pieces. How much of a piece is done
/// is known for sure when all of it is, and often there is no news for a long time.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    all: f64,
    /// Where this run has begun.
    begun: Point,
    /// Where it was last known for sure how much is done.
    sure: Point,
    /// Where at least so much was done.
    latest: Point,
    /// How much is done when the piece in work is.
    piece_end: f64,
}

/// How much was done at some time.
#[derive(Clone, Copy, Debug)]
struct Point {
    time: Instant,
    done: f64,
}

impl Forecast {
    /// Of so much work, which begins now.
    pub fn new(all: f64, now: Instant) -> Forecast {
        let begun = Point { time: now, done: 0.0 };
        Forecast { all, begun, sure: begun, latest: begun, piece_end: 0.0 }
    }

    /// A piece of work begins, at the end of which so much is done.
    pub fn begin_piece(&mut self, end: f64) {
        self.piece_end = end;
    }

    /// So much is done now, by earlier runs: this tells nothing about the speed.
    pub fn go_on_from(&mut self, done: f64, now: Instant) {
        self.begun = Point { time: now, done };
        (self.sure, self.latest) = (self.begun, self.begun);
    }

    /// So much is done now.
    pub fn has_done(&mut self, done: f64, now: Instant) {
        self.sure = Point { time: now, done };
        self.latest = self.sure;
    }

    /// So much is done now, or more.
    pub fn has_done_at_least(&mut self, done: f64, now: Instant) {
        self.latest = Point { time: now, done };
    }

    /// How much is done in a second, and where this was known; `None` if it is not known yet.
    fn known(&self) -> Option<(f64, Point)> {
        let is_enough = |point: &Point| point.done - self.begun.done >= LEAST * self.all;
        let point = [self.sure, self.latest].into_iter().find(is_enough)?;
        let seconds = point.time.duration_since(self.begun.time).as_secs_f64();
        (seconds > 0.0).then(|| ((point.done - self.begun.done) / seconds, point))
    }

    /// How much is done in a second; `None` if it is not known yet.
    pub fn rate(&self) -> Option<f64> {
        Some(self.known()?.0)
    }

    /// How long the rest takes; `None` if it is not known.
    pub fn time_left(&self, now: Instant) -> Option<Duration> {
        let (rate, point) = self.known()?;
        let seconds = (self.all - point.done) / rate;
        let left = seconds - now.duration_since(point.time).as_secs_f64();
        // If the piece takes longer than expected, what comes after it is still to do, at the speed that is
        // possible if the piece ends now.
        let elapsed = now.duration_since(self.begun.time).as_secs_f64();
        let at_best = (self.piece_end - self.begun.done) / elapsed;
        let left = match self.piece_end > point.done {
            true => left.max((self.all - self.piece_end) / rate.min(at_best)),
            false => left,
        };
        Duration::try_from_secs_f64(left).ok().filter(|left| !left.is_zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_falls_while_there_is_no_news() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let left = |forecast: &Forecast, seconds| {
            forecast.time_left(at(seconds)).map(|left| left.as_secs_f64().round())
        };
        let mut forecast = Forecast::new(1000.0, begin);
        forecast.begin_piece(100.0);
        assert_eq!(left(&forecast, 5), None);
        forecast.has_done(100.0, at(10));
        forecast.begin_piece(600.0);
        assert_eq!(left(&forecast, 10), Some(90.0));
        // Not all that is done is known.
        forecast.has_done_at_least(110.0, at(20));
        assert_eq!(left(&forecast, 40), Some(60.0));
        assert_eq!(left(&forecast, 200), Some(133.0));
        // Half as fast as before.
        forecast.has_done(600.0, at(120));
        assert_eq!((forecast.rate(), left(&forecast, 120)), (Some(5.0), Some(80.0)));
        forecast.begin_piece(1000.0);
        assert_eq!((left(&forecast, 150), left(&forecast, 201)), (Some(50.0), None));
    }

    #[test]
    fn what_an_earlier_run_has_done_tells_nothing_about_the_speed() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut forecast = Forecast::new(1000.0, begin);
        forecast.go_on_from(500.0, at(1));
        forecast.begin_piece(1000.0);
        assert_eq!(forecast.time_left(at(2)), None);
        // At first, what is known to be done at least has to do.
        forecast.has_done_at_least(600.0, at(11));
        assert_eq!(forecast.time_left(at(11)), Some(Duration::from_secs(40)));
    }
}
