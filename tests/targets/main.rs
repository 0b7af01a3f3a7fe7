//! What targets write, from the text of a blueprint by the way that users take: a file or folder for each target.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what a test takes for granted fails it"
)]

mod commands;
mod images;
mod kubernetes;
mod packer;
mod readme;
mod slurm;
mod terraform;
mod toolkit;
mod vertex;
mod vertex_packages;
mod vertex_reduction;
mod vertex_tuning;
mod vertex_upload;
