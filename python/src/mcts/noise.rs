//! Random numbers of a search: equal ones, and Dirichlet's.

use rules::random::Random;

/// A number from 0 to 1, without 1.
pub fn unit(random: &mut Random) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Numbers that sum to 1: normalised draws from a gamma distribution, by the method of Marsaglia and Tsang.
pub fn dirichlet(random: &mut Random, alpha: f64, count: usize) -> Vec<f32> {
    let mut drawn: Vec<f64> = (0..count).map(|_| gamma(random, alpha)).collect();
    let sum: f64 = drawn.iter().sum();
    let even = 1.0 / count.max(1) as f64;
    drawn.iter_mut().for_each(|each| *each = if sum > 0.0 { *each / sum } else { even });
    drawn.into_iter().map(|each| each as f32).collect()
}

fn gamma(random: &mut Random, alpha: f64) -> f64 {
    if alpha < 1.0 {
        return gamma(random, alpha + 1.0) * (1.0 - unit(random)).powf(1.0 / alpha);
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let radius = (-2.0 * (1.0 - unit(random)).ln()).sqrt();
        let x = radius * (std::f64::consts::TAU * unit(random)).cos();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && (1.0 - unit(random)).ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}
