//! Weights of a small logistic regression, read from lines of a name and its numbers.

/// The weights of a name, in the order of its columns; zeros where the text has none.
pub fn of<const COLUMNS: usize>(text: &str, name: &str) -> [f64; COLUMNS] {
    let line = text.lines().map(|line| line.split(' ')).find_map(|mut words| (words.next() == Some(name)).then_some(words));
    let mut numbers = line.into_iter().flatten().filter_map(|word| word.parse().ok());
    std::array::from_fn(|_| numbers.next().unwrap_or(0.0))
}

/// The chance whose logit this is.
pub fn chance(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_gives_its_name_numbers_and_a_name_that_is_not_there_zeros() {
        let bits = |numbers: [f64; 2]| numbers.map(f64::to_bits);
        assert_eq!(bits(of("# a 9\na 1 -2.5\nab 3 4", "a")), bits([1.0, -2.5]));
        assert_eq!(bits(of("a 1", "b")), bits([0.0, 0.0]));
        assert!((chance(0.0) - 0.5).abs() < 1e-12);
    }
}
