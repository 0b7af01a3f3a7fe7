//! The command line, driven in process over folders of its own: statuses, streams, and what lies on disk afterwards.

mod bad_input;
#[cfg(test)]
mod causes;
#[cfg(test)]
mod drained;
#[cfg(test)]
mod explain;
mod fmt;
#[cfg(test)]
mod graph;
#[cfg(test)]
mod handed;
mod held;
mod init;
mod left_behind;
mod lines;
mod lock;
#[cfg(test)]
mod lost;
#[cfg(test)]
mod made;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod moved;
#[cfg(test)]
mod moves;
#[cfg(test)]
mod mutants;
mod output;
mod plan;
mod projects;
mod pull_request;
#[cfg(test)]
mod reach;
mod renames;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod sandbox;
#[cfg(test)]
mod symptoms;
#[cfg(test)]
mod test;
mod turns;
#[cfg(test)]
mod watch;
