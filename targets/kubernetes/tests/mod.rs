//! What comes out, read back.

mod samples;

use super::Kubernetes;
use crate::testing::Blueprint;
use crate::{Output, Target};

fn rendered(blueprint: Blueprint) -> Output {
    let mut out = Output::default();
    Kubernetes.render(&blueprint.plan(), &mut out);
    out
}

#[test]
fn dump() {
    use crate::testing::{list, mount, variant, seconds};
    let mut samples = vec![
        ("mega", samples::gpus("a3-megagpu-8g", 4)),
        ("high", samples::gpus("a3-highgpu-8g", 4)),
        ("ultra", samples::gpus("a3-ultragpu-8g", 4)),
        ("a4", samples::gpus("a4-highgpu-8g", 4)),
        ("a4x", samples::gpus("a4x-highgpu-4g", 4)),
        ("a4xmax", samples::gpus("a4x-maxgpu-4g-metal", 4)),
        ("l4", samples::gpus("g2-standard-96", 4)),
    ];
    let (mut blueprint, base, pool) = samples::tpus(&[("capacity", variant("queued", &[("max", seconds(604_800))]))]);
    let cluster = blueprint.model.get(pool).unwrap().parent.unwrap();
    samples::queue(&mut blueprint, cluster, "tpus", &[pool], &[]);
    let mounts = list([mount(blueprint.to(base.bucket), "/data")]);
    samples::workload(&mut blueprint, &base, "multi", pool, &[("slices", 2.into()), ("mounts", mounts)]);
    samples::workload(&mut blueprint, &base, "xla", pool, &[("slices", 2.into()), ("launch", samples::torchrun(&[]))]);
    samples.push(("tpus", blueprint));
    for (name, blueprint) in samples {
        let out = rendered(blueprint);
        println!("{name}: {:#?}", out.diagnostics);
        for artifact in out.artifacts {
            let path = std::path::Path::new("/tmp/k8s-dump").join(name).join(artifact.path.as_str());
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, artifact.content).unwrap();
        }
    }
}
