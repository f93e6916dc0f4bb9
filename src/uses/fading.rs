//! A count of recorded calls that fades as later ones are recorded.

/// See the module. Time is counted in calls, so the same calls in the same order always give the same count.
#[derive(Debug, Default, Clone, Copy)]
pub struct Fading {
    amount: f64,
    at: u64,
}

impl Fading {
    /// What is left of it now, where half is left after so many calls.
    #[expect(clippy::cast_precision_loss, reason = "a count of calls")]
    pub fn now(self, clock: u64, half_life: f64) -> f64 {
        self.amount * 0.5_f64.powf((clock - self.at) as f64 / half_life)
    }

    /// Counts once more.
    pub fn add(&mut self, clock: u64, half_life: f64) {
        *self = Self { amount: self.now(clock, half_life) + 1.0, at: clock };
    }
}
