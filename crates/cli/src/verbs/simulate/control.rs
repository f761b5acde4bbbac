//! `simulate` of a robot, which may be two with one object, under control: its options.

use crate::prelude::*;
use crate::verbs::motion::OrderArguments;
use dalembert::control::{Drive, Encoder, Experiment, ExperimentFile, find_robot};
use dalembert::motion::{form_of_path, is_file};
use dalembert::robot::Form;

#[derive(Args)]
#[command(next_help_heading = "Control, drives and sensors (docs/control.md)")]
pub struct ControlArguments {
    /// Control law  [default: computed-torque]
    ///
    /// pd, pid, pd+acc, feedforward, feedforward+mass, gravity+pd, gravity+pid, computed-torque, cartesian, impedance
    ///
    /// `feedforward@2ms` uses the reference 2 ms ahead
    #[arg(long, value_name = "LAW")]
    pub law: Option<String>,
    /// Control laws to compare in one table and one report
    #[arg(long, value_name = "LAW,LAW,..", conflicts_with = "law")]
    pub compare: Option<String>,
    /// Number of cycles  [default: 1]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    cycles: Option<usize>,
    /// Payload mass assumed by the controller  [default: the actual one]
    #[arg(long, value_name = "MASS", allow_hyphen_values = true)]
    known_payload: Option<String>,
    /// Robot assumed by the controller, a name or a file  [default: the actual one]
    #[arg(long, value_name = "ROBOT")]
    known: Option<String>,
    /// Dynamic model of the controller  [default: exact; newton-euler for a serial arm]
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Bandwidth of the regulator  [default: 12 Hz]
    #[arg(long, value_name = "FREQUENCY", allow_hyphen_values = true)]
    bandwidth: Option<String>,
    /// Sampling period  [default: 1 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    period: Option<String>,
    /// Delay of the loop, in samples  [default: 1]
    #[arg(long, value_name = "SAMPLES", allow_hyphen_values = true)]
    delay: Option<usize>,
    /// Samples between updates of the model matrices  [default: 1]
    #[arg(long, value_name = "SAMPLES", allow_hyphen_values = true)]
    configuration_every: Option<usize>,
    /// Time constant of the motor current  [default: 0.5 ms]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    current_rise: Option<String>,
    /// Bits of the encoder per turn of the joint, 0 for ideal  [default: 20]
    #[arg(long, value_name = "BITS", allow_hyphen_values = true)]
    encoder_bits: Option<usize>,
    /// Settling time after the motion  [default: 0.1 s]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    hold: Option<String>,
    /// Reference accelerations
    ///
    /// `differenced` differentiates positions twice, in single precision
    #[arg(long, value_name = "HOW", value_parser = ["exact", "differenced"])]
    accelerations: Option<String>,
    /// Ideal drives and sensors, without limits and delay
    #[arg(long, conflicts_with_all = ["delay", "current_rise", "encoder_bits"])]
    ideal: bool,
}

impl ControlArguments {
    /// An option that was given, if any.
    pub fn given(&self) -> Option<String> {
        given!(self; law, compare, cycles, known_payload, known, model, bandwidth, period, delay,
            configuration_every, current_rise, encoder_bits,
            hold, accelerations)
        .next()
        .or(self.ideal.then(|| String::from("ideal")))
    }

    /// Puts the options of motion and robots on top of what a file says.
    pub fn task(&self, motion: &OrderArguments, file: &mut ExperimentFile) -> Result<(), Failure> {
        if let (Some(path), Some(option)) = (&motion.path, motion.given_beside(&["path", "payload", "branch"]))
            && is_file(path)
        {
            return Err(Failure::new(format!("--{option} does not go with {path}: a motion from a file has its own"))
                .hint("give it to `trajectory` when the file is written"));
        }
        let form = form_of_path(motion.path.as_ref().unwrap_or(&file.order.path), &file.experiment.robot);
        motion.change(&mut file.order, form)?;
        file.order.cycles = self.cycles.unwrap_or(file.order.cycles);
        if motion.branch.is_some() && form == Form::Joints {
            return Err(
                Failure::new("--branch is for paths of the tool").hint("the joints of --path say where an elbow is")
            );
        }
        file.pick.elbows = motion.branch.or(file.pick.elbows);
        if let Some(name) = &self.known {
            file.knowledge.robot = Some(find_robot(name)?);
        }
        let known = optional(not_negative, "known-payload", &self.known_payload, Dimension::Mass)?;
        file.knowledge.payload = known.or(file.knowledge.payload);
        if let Some(name) = &self.model {
            let models = file.experiment.robot.models();
            if !models.iter().any(|spec| spec.is_called(name)) {
                let names: Vec<&str> = models.iter().map(|spec| spec.name).collect();
                return Err(Failure::new(format!("--model: there is no `{name}`"))
                    .hint(format!("there are {}", names.join(", "))));
            }
            file.experiment.model.clone_from(name);
        }
        if let Some(how) = &self.accelerations {
            file.differenced = how == "differenced";
        }
        // Before the motion is set up: accelerations are differenced over this period.
        let period = &mut file.experiment.sampling.period;
        *period = optional(positive, "period", &self.period, Dimension::Time)?.unwrap_or(*period);
        Ok(())
    }

    /// Puts the options of regulator, drives and sensors on top of what a file says.
    pub fn faults(&self, experiment: &mut Experiment) -> Result<(), Failure> {
        let bandwidth = optional(positive, "bandwidth", &self.bandwidth, Dimension::Frequency)?;
        experiment.bandwidth = bandwidth.map_or(experiment.bandwidth, |hertz| std::f64::consts::TAU * hertz);
        if self.ideal {
            (experiment.drive, experiment.encoder) = (Drive::IDEAL, Encoder::IDEAL);
            experiment.sampling.delay = 0;
        }
        experiment.sampling.delay = self.delay.unwrap_or(experiment.sampling.delay);
        let every = &mut experiment.sampling.configuration_every;
        *every = self.configuration_every.unwrap_or(*every);
        let rise = optional(not_negative, "current-rise", &self.current_rise, Dimension::Time)?;
        experiment.drive.current_rise = rise.unwrap_or(experiment.drive.current_rise);
        if let Some(bits) = self.encoder_bits {
            experiment.encoder.counts = Encoder::counts_of(bits).ok_or_else(|| {
                Failure::new(format!("--encoder-bits: {bits} bits are more than any encoder has"))
                    .hint("at most 40; 0 for an ideal one")
            })?;
        }
        let hold = optional(not_negative, "hold", &self.hold, Dimension::Time)?;
        experiment.hold = hold.unwrap_or(experiment.hold);
        Ok(())
    }
}
