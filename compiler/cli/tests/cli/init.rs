//! `init`: every template is a project that is clean and builds; nothing is ever overwritten.

use crate::sandbox::Sandbox;
use slipform::ExitStatus::{Clean, Unusable};
use slipform::TEMPLATES;

#[test]
fn every_template_checks_builds_and_is_laid_out() {
    for template in TEMPLATES {
        let sandbox = Sandbox::new(&[]);
        sandbox.run(&["init", "p", "--template", template.name]).expect(Clean);
        let check = sandbox.run(&["check", "p"]).expect(Clean);
        assert_eq!(check.err, "checked p: no problems\n", "{}", template.name);
        sandbox.run(&["build", "p"]).expect(Clean);
        sandbox.run(&["build", "p", "--check"]).expect(Clean);
        sandbox.run(&["fmt", "--check", "p"]).expect(Clean);
        assert!(sandbox.read("p/.gitignore").contains("/out/"));
        // what runs is there: the program is in an image, or in the folder that every node sees
        let blueprint = sandbox.read("p/train.bp");
        let words: Vec<&str> = blueprint.split_whitespace().collect();
        let copied = words.join(" ").contains("copy = { \"train.py\" = \"/app/train.py\" }");
        let shared = blueprint.contains("cp train.py /mnt/home/");
        assert!(copied || shared, "{}: {blueprint}", template.name);
        assert!(sandbox.read("p/train.py").contains("if __name__ == \"__main__\""));
    }
}

/// What is to be done next is something that the template has a place for.
#[test]
fn the_next_step_fits_the_template() {
    for template in TEMPLATES {
        let sandbox = Sandbox::new(&[]);
        let outcome = sandbox.run(&["init", "p", "--template", template.name]).expect(Clean);
        let blueprint = sandbox.read("p/train.bp");
        let next = if blueprint.contains("param project") {
            "next: put your project into p/slipform.toml, then `slipform build p`\n"
        } else {
            "next: put your machines and addresses into p/train.bp, then `slipform build p`\n"
        };
        assert_eq!(outcome.err, next, "{}", template.name);
    }
}

#[test]
fn the_usual_template_goes_into_the_current_folder() {
    let sandbox = Sandbox::new(&[(".git/HEAD", "ref: refs/heads/main\n")]);
    let outcome = sandbox.run(&["init"]).expect(Clean);
    assert_eq!(outcome.out, "slipform.toml\ntrain.bp\ntrain.py\n.gitignore\n.gcloudignore\n");
    let ignored = sandbox.read(".gcloudignore");
    assert!(ignored.lines().any(|line| line == "**/.terraform"), "providers stay: {ignored}");
    sandbox.run(&["check"]).expect(Clean);
}

#[test]
fn a_folder_with_anything_in_it_is_left_alone() {
    let sandbox = Sandbox::new(&[("p/train.bp", "# mine\n"), ("file", "x")]);
    sandbox.refuses(&["init", "p"], Unusable, "the folder `p` is not empty");
    sandbox.refuses(&["init"], Unusable, "the folder `.` is not empty");
    sandbox.refuses(&["init", "file"], Unusable, "`file` is not a folder");
    sandbox.refuses(&["init", "file/below"], Unusable, "file/below");
    sandbox.refuses(&["init", "q", "--template", "gke"], Unusable, "the templates are gke-gpu");
    sandbox.refuses(&["init", "q", "--template", "slrum"], Unusable, "`slurm`");
}
