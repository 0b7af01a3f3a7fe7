//! What a text brings to its nodes, and what it tells others of: files that one of them has alone, downloads that are told to stay off the net,
//! packages without their lists, settings that nobody can read, nodes that are told by the list of all of them.

use super::super::lost::trains;
use super::super::shell::{End, Known, Simple, base, commands, documents, word};
use super::super::started::{launcher, shell_text};
use super::writes::written;
use super::{Door, Fault, Mistake, Reader, joined, plain};
use crate::plan::Place;
use crate::plan::run::{Program, Source};

impl Reader<'_> {
    /// All of it, in the text of a launch.
    pub(super) fn fetches(&mut self, text: &str, lines: &[Simple]) {
        self.fetched_once(lines);
        self.offline(lines);
        self.by_pdsh(text, lines);
        self.met_in_list(lines);
        self.no_json(text);
    }

    /// `[ "$NODE_RANK" = 0 ] && hf download ... --local-dir /tmp/model`, and all nodes load it from there.
    fn fetched_once(&mut self, lines: &[Simple]) {
        let Some(last) = lines.iter().rposition(|it| trains(&it.words)) else { return };
        let (before, behind) = lines.split_at_checked(last).unwrap_or_default();
        let Some(train) = behind.first().filter(|it| !it.is_conditional()) else { return };
        for (at, line) in before.iter().enumerate() {
            if !self.asks_node(line) || line.questions.len() != 1 || line.end == End::Or {
                continue;
            }
            let paths = written(line, base(word(line, 0)));
            let Some(path) = paths.into_iter().find(|it| self.is_of_node(it)) else { continue };
            let path = path.trim_end_matches('/');
            let names = |it: &Simple| it.words.iter().flatten().any(|it| it.contains(path));
            let others = before.iter().enumerate().any(|(it, other)| it != at && names(other));
            let reads = train.words.iter().flatten().any(|it| {
                let value = it.split_once('=').map_or(it.as_str(), |(_, value)| value);
                value.strip_prefix(path).is_some_and(|it| it.is_empty() || it.starts_with('/'))
            });
            if reads && !others {
                return self.put_beside(Mistake::FetchedOnce, joined(&line.words), path);
            }
        }
    }

    /// Whether each node has a path of its own.
    fn is_of_node(&self, path: &str) -> bool {
        let Some(program) = self.program else { return false };
        let held = program.holder(path).map(|(_, mount)| &mount.source.value);
        match held {
            Some(source) => matches!(source, Source::Scratch { .. }),
            None => {
                let own = ["/tmp/", "/dev/shm/", "/var/tmp/"];
                let on_slurm = matches!(program.place.value, Place::Partition(_));
                let is_own = own.iter().any(|it| path.starts_with(it));
                is_own || !on_slurm && self.beside.image.is_some() && path.starts_with('/')
            }
        }
    }

    /// `export HF_HUB_OFFLINE=1; hf download ...`
    fn offline(&mut self, lines: &[Simple]) {
        let kept = ["HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"];
        let keeps = |name: &str| kept.contains(&name);
        let by_env = self.program.is_some_and(|it| it.env.iter().any(|it| keeps(&it.name)));
        let by_text = lines.iter().any(|it| it.assigned.iter().any(|(name, _)| keeps(name)));
        if by_env || by_text {
            return;
        }
        let mut told: Option<String> = None;
        for line in lines {
            let own = |(name, value): &(String, Known)| {
                let is = matches!(name.as_str(), "HF_HUB_OFFLINE" | "TRANSFORMERS_OFFLINE");
                let on = value.as_deref().is_some_and(|it| {
                    matches!(it.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on")
                });
                is.then(|| (name.clone(), on))
            };
            let set = line.assigned.iter().find_map(own);
            let here = set.clone().filter(|it| it.1).map(|it| it.0);
            if let Some((name, on)) = set.filter(|_| line.words.is_empty()) {
                told = (on && line.declares && !line.is_conditional()).then_some(name);
            } else if word(line, 0) == "unset" {
                told = None;
            }
            let hub = matches!(base(word(line, 0)), "hf" | "huggingface-cli");
            let loads = hub && word(line, 1) == "download" && line.written.is_empty();
            let has = |it: &str| line.words.iter().flatten().any(|word| word.starts_with(it));
            let goes_on = line.end == End::Or || line.is_conditional() || has("--local-files");
            if let Some(name) = here.or_else(|| told.clone()).filter(|_| loads && !goes_on) {
                return self.put_beside(Mistake::Offline, joined(&line.words), &name);
            }
        }
    }

    /// `accelerate launch` on several machines with DeepSpeed, which has `pdsh` start them where nobody says another way: by its options, or by a
    /// file of settings that the text writes.
    fn by_pdsh(&mut self, text: &str, lines: &[Simple]) {
        if text.contains("default_config.yaml") {
            return;
        }
        let several = |it: &str| it.parse::<u32>().is_ok_and(|it| it > 1) || it.contains('\0');
        let files = documents(text);
        let setting = |file: &str, name: &str| {
            let line = file.lines().find(|it| it.trim_start().starts_with(name))?;
            let value = line.split_once(':')?.1.trim().trim_matches(['"', '\'']).to_owned();
            Some(if value.contains('$') { "\0".to_owned() } else { value })
        };
        let written = files.iter().any(|file| {
            setting(file, "distributed_type:").is_some_and(|it| it == "DEEPSPEED")
                && setting(file, "num_machines:").is_some_and(|it| several(&it))
                && setting(file, "deepspeed_multinode_launcher:").is_none()
                && setting(file, "deepspeed_hostfile:").is_none()
        });
        for line in lines.iter().filter(|it| !it.is_conditional()) {
            let Some(("accelerate", told)) = launcher(&line.words) else { continue };
            let own =
                told.iter().take_while(|it| !it.as_deref().is_some_and(|it| it.ends_with(".py")));
            let own: Vec<&Known> = own.collect();
            // a word that only the shell knows may say it, where it is no value
            let flags = ["--use_deepspeed", "--use-deepspeed", "--multi_gpu", "--multi-gpu"];
            let valued = |at: usize| {
                let before = at.checked_sub(1).and_then(|at| own.get(at)?.as_deref());
                before.is_some_and(|it| {
                    it.starts_with("--") && !it.contains('=') && !flags.contains(&it)
                })
            };
            if own.iter().enumerate().any(|(at, it)| it.is_none() && !valued(at)) {
                continue;
            }
            let own: Vec<String> =
                own.into_iter().map(|it| it.as_deref().unwrap_or("\0").replace('_', "-")).collect();
            let value = |name: &str| {
                let at = own.iter().position(|it| it.split('=').next() == Some(name))?;
                let joined = own.get(at)?.split_once('=').map(|(_, value)| value.to_owned());
                joined.or_else(|| own.get(at + 1).cloned())
            };
            let says = |name: &str| value(name).is_some() || own.iter().any(|it| it == name);
            let other = says("--deepspeed-multinode-launcher") || says("--deepspeed-hostfile");
            let by_file = says("--config-file");
            let by_words =
                says("--use-deepspeed") && value("--num-machines").is_some_and(|it| several(&it));
            if !other && (by_file && written || !by_file && by_words) {
                return self.put(Mistake::ByPdsh, "accelerate launch");
            }
        }
    }

    /// `HEAD=$SLURM_JOB_NODELIST` and `--master_addr=$HEAD`: the name of all nodes, and of none.
    fn met_in_list(&mut self, lines: &[Simple]) {
        let mut lists: Vec<String> =
            ["SLURM_JOB_NODELIST", "SLURM_NODELIST"].map(str::to_owned).to_vec();
        let mut meets: Option<String> = None;
        for line in lines {
            let of_list = line.asked.iter().find(|it| lists.contains(it)).cloned();
            let alone = line.asked.len() == 1 && line.spoken.iter().all(|it| lists.contains(it));
            for (name, value) in line.assigned.iter().filter(|_| line.words.is_empty()) {
                let is_list = of_list.is_some() && alone && value.is_none();
                lists.retain(|it| it != name);
                if is_list {
                    lists.push(name.clone());
                }
                if name == "MASTER_ADDR" {
                    meets = is_list.then(|| of_list.clone().unwrap_or_default());
                }
            }
            if launcher(&line.words).is_some() && told_by(line, &lists) {
                meets = of_list;
            }
            if launcher(&line.words).is_some_and(|it| it.0 != "srun")
                && let Some(list) = meets.take()
            {
                return self.put(Mistake::MeetsInList, format!("${list}"));
            }
        }
    }

    /// Settings of DeepSpeed that are no JSON: it reads nothing of them, and ends.
    fn no_json(&mut self, text: &str) {
        let marks =
            ["\"zero_optimization\"", "\"train_batch_size\"", "\"train_micro_batch_size_per_gpu\""];
        let own = documents(text).into_iter().filter(|it| {
            it.trim_start().starts_with('{')
                && !it.contains(['$', '`'])
                && marks.iter().any(|mark| it.contains(mark))
        });
        for file in own {
            let plain: String = file.split_whitespace().collect();
            let comma = plain.contains(",}") || plain.contains(",]");
            let words = [":True", ":False", ":None"].iter().find(|it| plain.contains(**it));
            if comma || words.is_some() {
                let word =
                    words.map_or("a comma in front of a bracket", |it| it.trim_start_matches(':'));
                return self.put(Mistake::NoJson, word);
            }
        }
    }
}

/// Whether where nodes meet is told by one of these variables. Words that only the shell knows hold one variable each, where there are as many.
fn told_by(line: &Simple, names: &[String]) -> bool {
    let addresses =
        ["--master-addr", "--rdzv-endpoint", "--main-process-ip", "--coordinator-address"];
    let mut asked = Vec::new();
    let mut before = String::new();
    for word in &line.words {
        let plain = word.as_deref().unwrap_or("\0").replace('_', "-");
        if let Some(own) = plain.strip_suffix('\0') {
            let option = if own.is_empty() { before } else { own.trim_end_matches('=').to_owned() };
            asked.push(option);
        }
        before = plain;
    }
    let is_address = |it: &String| addresses.contains(&it.as_str());
    let pairs = asked.iter().zip(&line.asked);
    asked.len() == line.asked.len()
        && pairs.into_iter().any(|(it, name)| is_address(it) && names.contains(name))
}

/// `apt-get install` that no `apt-get update` stands in front of, in any command of a gang up to it.
pub(super) fn unlisted(program: &Program) -> Option<Fault> {
    let setup = program.setup.iter().enumerate().map(|(at, words)| (Door::Setup(at), words));
    let mut is_known = false;
    for (door, words) in setup.chain([(Door::Launch, &program.command)]) {
        let known: Vec<Known> = plain(words).into_iter().map(|it| it.map(str::to_owned)).collect();
        let lines = match shell_text(&known) {
            Some(script) => commands(&script.text),
            None => vec![Simple::of(known)],
        };
        for line in &lines {
            let first = word(line, 0);
            let told = |verb: &str| line.words.iter().skip(1).flatten().any(|it| it == verb);
            // what others run may ask for the lists as well
            let others =
                ["sh", "bash", "source", ".", "eval", "add-apt-repository", "dpkg", "make"];
            let by_apt = matches!(base(first), "apt-get" | "apt");
            is_known |= by_apt && told("update") || others.contains(&base(first));
            is_known |= first.contains('/') && !by_apt;
            let file = |it: &String| it.contains('/') || it.ends_with(".deb") || it.ends_with('\0');
            let unknown =
                line.words.iter().any(Option::is_none) || line.words.iter().flatten().any(file);
            let mends = line.words.iter().flatten().any(|it| it == "-f" || it == "--fix-broken");
            let asks = line.is_conditional() || line.end == End::Or || unknown || mends;
            if by_apt && told("install") && !is_known && !asks {
                let word = joined(&line.words);
                let (beside, mend) = Default::default();
                return Some(Fault { door, mistake: Mistake::NoLists, word, beside, mend });
            }
        }
    }
    None
}
