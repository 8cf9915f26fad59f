//! Fits a net to samples, by stochastic gradient descent with Adagrad.

use lasca_analysis::search::{Sample, Shape};
use lasca_common::numbers::Numbers;

const HIDDEN: usize = Shape::HIDDEN;
/// The weights of an output: from the hidden units, and from the dense inputs.
const OUTPUT: usize = HIDDEN + Shape::DENSE.len();
const EPOCHS: u32 = 6;
/// The first rate of learning, and what it becomes with each epoch.
const RATE: (f32, f32) = (0.03, 0.7);

/// The sum of the squares of the gradients of a weight that has none yet.
const UNSEEN: f32 = 1e-6;

/// Weights, each with the sum of the squares of its gradients.
#[derive(Clone)]
struct Weights<const N: usize> {
    weights: [f32; N],
    squares: [f32; N],
}

impl<const N: usize> Weights<N> {
    fn random(random: &mut Numbers, size: f32) -> Weights<N> {
        Weights { weights: std::array::from_fn(|_| size * unit(random)), squares: [UNSEEN; N] }
    }

    fn learn(&mut self, gradients: &[f32; N], rate: f32) {
        let weights = self.weights.iter_mut().zip(&mut self.squares);
        for ((weight, square), gradient) in weights.zip(gradients) {
            *square += gradient * gradient;
            *weight -= rate * gradient / square.sqrt();
        }
    }
}

/// A number from -1 to 1.
fn unit(random: &mut Numbers) -> f32 {
    (random.any() >> 40) as f32 / (1 << 23) as f32 - 1.0
}

struct Net {
    inputs: Vec<Weights<HIDDEN>>,
    outputs: [Weights<OUTPUT>; 2],
}

impl Net {
    /// What the hidden units are, with the dense inputs after them.
    fn hidden(&self, sample: &Sample, mirrored: bool) -> [f32; OUTPUT] {
        let mut sums = [0.0; OUTPUT];
        for input in on(sample, mirrored) {
            let weights = &self.inputs[input].weights;
            sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        }
        sums.iter_mut().for_each(|sum| *sum = sum.max(0.0));
        let [worth, moves] = sample.dense;
        for (i, dense) in [worth, moves, Shape::DENSE[2]].into_iter().enumerate() {
            sums[HIDDEN + i] = dense as f32 / Shape::DENSE[i] as f32;
        }
        sums
    }

    fn output(&self, hidden: &[f32; OUTPUT], output: usize) -> f32 {
        hidden.iter().zip(&self.outputs[output].weights).map(|(value, weight)| value * weight).sum()
    }

    fn learn(&mut self, sample: &Sample, mirrored: bool, rate: f32) {
        let hidden = self.hidden(sample, mirrored);
        let error = self.output(&hidden, sample.output) - sample.target;
        let output = &mut self.outputs[sample.output];
        let gradients: [f32; HIDDEN] =
            std::array::from_fn(|i| if hidden[i] > 0.0 { error * output.weights[i] } else { 0.0 });
        output.learn(&hidden.map(|value| error * value), rate);
        for input in on(sample, mirrored) {
            self.inputs[input].learn(&gradients, rate);
        }
    }

    /// The mean of the squared errors.
    fn error<'a>(&self, samples: impl Iterator<Item = &'a Sample>) -> f64 {
        let (mut sum, mut count) = (0.0, 0);
        for sample in samples {
            let error = self.output(&self.hidden(sample, false), sample.output) - sample.target;
            sum += f64::from(error * error);
            count += 1;
        }
        sum / f64::from(count.max(1))
    }

    /// The weights in the form of the library's file. Each hidden unit is as large as bytes allow.
    fn to_bytes(&self) -> Vec<u8> {
        let greatest = |unit: usize| self.inputs.iter().map(move |input| input.weights[unit].abs());
        let scales: [f32; HIDDEN] =
            std::array::from_fn(|unit| 127.0 / greatest(unit).fold(1e-3, f32::max));
        let mut bytes = Vec::new();
        for input in &self.inputs {
            // An input that no sample has says nothing.
            let is_known = input.squares != [UNSEEN; HIDDEN];
            let weights = input.weights.iter().zip(scales);
            let weights = weights.map(|(weight, scale)| (weight * scale).round() as i8 as u8);
            bytes.extend(weights.map(|weight| if is_known { weight } else { 0 }));
        }
        for output in &self.outputs {
            for (i, weight) in output.weights.iter().enumerate() {
                let scale = scales.get(i).copied();
                let scale = scale.unwrap_or_else(|| Shape::DENSE[i - HIDDEN] as f32);
                let weight = (weight / scale * Shape::ONE as f32).round();
                bytes.extend((weight.clamp(-8191.0, 8191.0) as i16).to_le_bytes());
            }
        }
        bytes
    }
}

/// The inputs that are on in a position or in its mirror image.
fn on(sample: &Sample, mirrored: bool) -> impl Iterator<Item = usize> {
    let image = move |&input| if mirrored { Shape::mirrored(input) } else { input };
    sample.inputs.iter().map(image).map(usize::from).chain([Shape::INPUTS - 1])
}

/// Learns from the samples of all endings but one in `checked`. Returns the file of the net.
pub fn train(samples: &[Vec<Sample>], checked: usize, seed: u64) -> Vec<u8> {
    let mut random = Numbers(seed);
    let mut net = Net {
        inputs: (0..Shape::INPUTS).map(|_| Weights::random(&mut random, 0.25)).collect(),
        outputs: [(); 2].map(|()| Weights::random(&mut random, 0.2)),
    };
    let part = |kept: bool| {
        let endings = samples.iter().enumerate().filter(move |(i, _)| (i % checked == 0) == kept);
        endings.flat_map(|(_, samples)| samples)
    };
    let mut learned: Vec<&Sample> = part(false).collect();
    let mut rate = RATE.0;
    for _ in 0..EPOCHS {
        for i in (1..learned.len()).rev() {
            learned.swap(i, random.below(i + 1));
        }
        for sample in &learned {
            net.learn(sample, random.any() & 1 == 1, rate);
        }
        rate *= RATE.1;
    }
    println!(
        "{} samples: the mean of the squared errors is {:.3}, of those not learned from {:.3}",
        learned.len(),
        net.error(learned.iter().copied()),
        net.error(part(true))
    );
    net.to_bytes()
}
