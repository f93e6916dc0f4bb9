//! How long the last turns were ranked.

use std::time::Duration;

use parking_lot::Mutex;

/// What a new measurement counts beside all before it: about the last ten.
const WEIGHT: f64 = 0.2;

/// A moving mean.
#[derive(Debug, Default)]
pub struct RankingTimes(Mutex<Option<f64>>);

impl RankingTimes {
    /// Notes one.
    pub fn note(&self, time: Duration) {
        let ms = time.as_secs_f64() * 1_000.0;
        let mut mean = self.0.lock();
        *mean = Some(mean.map_or(ms, |mean| mean + WEIGHT * (ms - mean)));
    }

    /// The mean in milliseconds; 0 before the first.
    pub fn mean_ms(&self) -> f64 {
        self.0.lock().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_weigh_most() {
        let times = RankingTimes::default();
        assert!(times.mean_ms().abs() < f64::EPSILON);
        times.note(Duration::from_millis(10));
        times.note(Duration::from_millis(20));
        assert!((times.mean_ms() - 12.0).abs() < 1e-9);
    }
}
