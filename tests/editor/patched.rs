//! What is told of the keys of `patch` blocks: of every consumer, and deep inside of its documents.

use super::{MAIN, opened};
use std::fmt::Write;

const TEXT: &str = r#"network fabric {
  region = "us-east4"
  patch net<1>work {
    routing<2>_mode = "GLOB<3>AL"
    lifecycle = { prevent<4>_destroy = true }
  }
}

bucket data {
  location = "us-east4"
  patch bucket {
    lifecycle_rule = [{ action = { ty<5>pe = "Delete" }, condition = { age = 3 } }]
    labels = { te<6>am = "research" }
  }
}

cluster gpus on gke {
  network = fabric
  zone    = "us-east4-a"
  pool h100 {
    machine = "a3-megagpu-8g"
    nodes   = 2
    patch node_pool {
      management = { auto_re<7>pair = false }
    }
    patch resource_flavor {
      spec = { tolerations = [{ eff<8>ect = "NoSchedule" }] }
    }
  }
  queue shared {
    pools = [h100]
    patch cluster_queue {
      spec = { preemption = { borrowWithinCohort = { pol<9>icy = "Never" } } }
    }
  }
}

workload train on gpus.h100 {
  image  = "nvcr.io/nvidia/nemo:24.07"
  launch = torchrun("train.py")
  patch jobset {
    metadata = { annotations = { "example.com/te<10>am" = "research" } }
    spec = {
      failurePolicy = { restart<11>Strategy = "Recreate" }
      replicatedJobs = [{ name = "node", template = { spec = { template = { spec = {
        containers = [{ name = "node", env = [{ name = "A", valueFrom = { secretKeyRef = { k<12>ey = "a" } } }] }]
      } } } } }]
    }
  }
  patch sbatch {
    mail_ty<13>pe = "ALL"
    open_mode = "app<14>end"
  }
  patch custom_job {
    jobSpec = { scheduling = { stra<15>tegy = "SPOT" } }
  }
  patch tuning_job {
    studySpec = { algo<16>rithm = "GRID_SEARCH" }
  }
  patch training_pipeline {
    modelToUpload = { containerSpec = { ports = [{ container<17>Port = 80 }] } }
  }
}

cluster hpc on slurm {
  patch controller {
    controller_state_disk = { si<18>ze = 50 }
  }
  partition gpu {
    patch node_set {
      dws_flex = { max_run<19>_duration = 3600 }
    }
    patch slurm_partition {
      suspend<20>_time = 60
    }
  }
}
"#;

#[test]
fn a_key_is_told_by_its_consumer_however_deep_it_is() {
    let (mut editor, text, marks) = opened(TEXT);
    let mut shown = String::new();
    for mark in &marks {
        let line = usize::try_from(mark["line"].as_u64().unwrap()).unwrap();
        let hover = editor.hover(MAIN, mark);
        writeln!(shown, "# {}\n{hover}\n", text.lines().nth(line).unwrap().trim()).unwrap();
    }
    insta::assert_snapshot!(shown);
}
