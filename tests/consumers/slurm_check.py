"""Lets a real Slurm judge the rendered clusters and scripts, and runs training scripts on it.

usage: slurm_check.py RENDERED...

For each rendered slurm.conf: the daemons start from it and every node becomes idle. For each script: `sbatch --test-only` on
the cluster that has its partition; where no slurm.conf is rendered (the nodes are made by a cloud's own tooling), on a
stand-in cluster that has what the script's header names. On a rendered cluster the scripts for 2 to RUN_NODES nodes are run
(where there are none, the smallest for several nodes), with a stand-in for the container: the facts of every rank must
agree, in each group of a job of several, and a helper that fails starts again. One of them is interrupted and requeued (where
there is a partition of a higher tier, by a job of that one too), by a controller that does not answer its first question, one
fails until its restarts are used up, and one fails before it trains. Of an array one job is warned, and it alone goes back to the
queue. Each `chain.sh` is run: its jobs come each after those that they wait for. Where what jobs used is kept, the page's own lines say who may
submit, and a job is found among those that are counted. Of two controllers the first dies while a job runs. Last, a node is started anew.
"""
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from slurm_cluster import HERE, Cluster, SlurmError, hosts, logical_lines, key, value

RUN_NODES = 4
ATTEMPT_SECONDS = 180  # of a machine that does other work too
QUESTIONS = 5  # to a controller that may be busy
RESTARTS = 2  # in the trial of a run that always fails
KILLED_SECONDS = 3  # Slurm compares the seconds of a credential with those of a kill
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE", "PREEMPTED")


def main() -> int:
    roots = [Path(arg).resolve() for arg in sys.argv[1:]]
    if not roots:
        print(__doc__, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that clusters are taken down
    run = Run()
    for root in roots:
        run.build(root)
    print(f"slurm: {run.clusters} clusters, {run.tested} scripts accepted, {run.ran} run on several nodes, "
          f"{run.requeued} requeued, {run.refused} refused")
    if not run.ran:
        print("REFUSED  no script of two or more nodes was run on a rendered cluster")
    return 1 if run.refused or not run.ran else 0


class Run:
    """Counts what was seen over all builds; identical clusters and scripts are judged once."""

    def __init__(self):
        self.clusters = self.tested = self.ran = self.requeued = self.refused = 0
        self.seen = set()
        self.failed = False  # a run that always fails takes long, and the script of every output counts alike

    def build(self, root: Path):
        scripts = {path: Script(path) for path in sorted(root.rglob("*.sbatch"))}
        rendered = sorted(root.rglob("slurm.conf"))
        for conf in rendered:
            has = {value(line) for line in logical_lines(conf) if key(line) == "partitionname"}
            mine = {path: script for path, script in scripts.items() if script.partition in has}
            scripts = {path: script for path, script in scripts.items() if path not in mine}
            files = tuple(path.read_text() for path in sorted(conf.parent.iterdir()) if path.suffix in (".conf", ".yaml"))
            self.judged(conf, files, list(mine.values()), self.cluster)
        if scripts:
            self.judged(root, (), list(scripts.values()), self.standin_cluster)

    def judged(self, where: Path, files: tuple[str, ...], scripts, by):
        """Daemons of a machine that does other work too may miss a moment that they have on one of their own. So what is refused is
        tried once more from the start, on a new cluster, where a defect is refused again."""
        content = (files, tuple(script.text for script in scripts))
        if content in self.seen:
            print(f"ok       {where}: the same as one above, scripts included")
            return
        self.seen.add(content)
        before = self.refused
        by(where, scripts)
        if self.refused > before:
            print(f"again    {where}: what was refused is tried once more, with new daemons")
            self.refused = before
            by(where, scripts)

    def cluster(self, conf: Path, scripts):
        try:
            if (needs := release_of(conf)) > installed():
                print(f"later    {conf}: its topology is for Slurm {needs[0]}.{needs[1]:02}, which is not here: let SLIPFORM_SLURM_ROOTS name a folder of roots that have it")
                return
            files = (*conf.parent.glob("*.conf"), *conf.parent.glob("topology.yaml"))
            with Cluster(conf, files, site_of(scripts)) as cluster:
                self.clusters += 1
                print(f"ok       {conf}: {len(cluster.nodes)} nodes idle in {', '.join(cluster.partitions)}")
                for line in cluster.replaced:
                    print(f"         replaced here: {line}")
                for complaint in cluster.complaints():
                    self.refuse(conf, complaint)
                self.admit(conf, cluster)
                self.judge(cluster, scripts)
                self.run_some(cluster, scripts)
                for script in scripts:
                    if "array" in script.options and script.requeues:
                        self.run_array(cluster, script)
                for chain in sorted(path.parent / "chain.sh" for path in (script.path for script in scripts)):
                    if chain.exists():
                        self.run_chain(cluster, chain)
                if cluster.accounts:
                    self.counted(conf, cluster)
                if len(cluster.controllers) > 1:
                    self.fail_over(conf, cluster)
                if any(key(line) == "rebootprogram" for line in logical_lines(conf)):
                    self.start_anew(conf, cluster)
        except SlurmError as error:
            self.refuse(conf, str(error))

    def admit(self, conf: Path, cluster):
        """Who has an account may submit, as the cluster's page says it, and others may not where that is enforced."""
        lines = cluster.admit()
        if not lines:
            return
        for line in lines:
            print(f"ok       {conf}: {line.split(' #')[0].strip()}")
        if any(key(line) == "accountingstorageenforce" for line in logical_lines(conf)):
            try:
                cluster.run("sbatch", "--test-only", "--account=nobodys", "--wrap=true")
                self.refuse(conf, "a job of an account that does not exist is taken")
            except SlurmError as error:
                print(f"ok       {conf}: an account that does not exist is refused: {str(error).splitlines()[-1]}")

    def counted(self, conf: Path, cluster):
        """Jobs that have ended are in the database, each with its account."""
        job = cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=true", cwd=cluster.dir / "jobs").strip()
        finish(cluster, job)
        row = lambda: cluster.run("sacct", "--jobs", job, "--noheader", "--parsable2", "--allocations", "--format=State,Account", check=False).strip()
        until(lambda: row().startswith("COMPLETED|"), f"job {job} among those that are counted", row)
        print(f"ok       {conf}: job {job} is counted for {row().split('|')[1]}")

    def fail_over(self, conf: Path, cluster):
        """The first controller dies while a job runs: the second goes on with what it left, takes jobs, and gives way once the first is back."""
        first, second = cluster.controllers[:2]
        job = cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=sleep 600", cwd=cluster.dir / "jobs").strip()
        running = lambda: show(cluster, job).get("JobState") == "RUNNING"
        until(running, f"start of job {job}", cluster.logs)
        # what has not been saved yet nobody goes on with
        began, state = time.time(), cluster.dir / "state" / "job_state"
        cluster.run("scontrol", "update", f"JobId={job}", "Comment=runs")
        until(lambda: state.exists() and state.stat().st_mtime > began, "state of jobs that is saved", cluster.logs)
        cluster.daemons[first].kill()
        cluster.daemons[first].wait()
        answers = lambda: f"JobId={job} " in cluster.run("scontrol", "-o", "show", "job", job, check=False, timeout=20)
        until(answers, f"controller that takes over from {first}", cluster.logs)
        other = cluster.run("sbatch", "--parsable", "--output=/dev/null", "--wrap=true", cwd=cluster.dir / "jobs").strip()
        if finish(cluster, other) != "COMPLETED" or not running():
            raise SlurmError(f"after {second} took over, job {other} became {show(cluster, other)['JobState']}, and job {job} {show(cluster, job)['JobState']}")
        print(f"ok       {conf}: {first} died, {second} went on with job {job} and ran job {other}")
        cluster.control(first)
        until(lambda: re.search(rf"primary\) at {first} is UP", cluster.run("scontrol", "ping", check=False, timeout=20)) and running(),
              f"way back of {first}", cluster.logs)
        cluster.run("scancel", job)
        finish(cluster, job)
        print(f"ok       {conf}: {first} is back, and ended job {job}")

    def start_anew(self, conf: Path, cluster):
        """What starts a node anew is run on it; last, since the node does not come back here."""
        node = cluster.nodes[-1]
        cluster.run("scontrol", "reboot", "ASAP", node)
        until((cluster.dir / "facts" / "rebooted").exists, f"start of node {node} anew", cluster.logs)
        print(f"ok       {conf}: node {node} is started anew by its own program")

    def standin_cluster(self, root: Path, scripts):
        """Nodes as the headers describe them, so that options and their values at least are read by sbatch itself."""
        with tempfile.TemporaryDirectory() as folder:
            conf = Path(folder) / "slurm.conf"
            conf.write_text(standin_conf(scripts))
            try:
                with Cluster(conf) as cluster:
                    print(f"         {root}: no slurm.conf is rendered for {', '.join(cluster.partitions)}: a stand-in cluster")
                    self.judge(cluster, scripts)
            except SlurmError as error:
                self.refuse(root, str(error))

    def judge(self, cluster, scripts):
        for script in scripts:
            try:
                words = cluster.run("sbatch", "--test-only", str(script.path), cwd=script.path.parent)
                self.tested += 1
                print(f"ok       {script.path}: {' '.join(words.split()).removeprefix('sbatch: ')}")
            except SlurmError as error:
                self.refuse(script.path, str(error))
            if "array" in script.options or len(script.components) > 1:
                try:
                    self.operate(cluster, script)
                except SlurmError as error:
                    self.refuse(script.path, str(error))
        if scripts:
            self.broken_copies(cluster, scripts[0])

    def operate(self, cluster, script):
        """What the README says of a job is about the whole of an array, and of a job of several components."""
        readme = script.path.parents[2] / "README.md"
        lines = [line for line in readme.read_text().splitlines() if line.startswith('JOB="$(squeue ')] if readme.exists() else []
        if not lines:
            return
        job = cluster.run("sbatch", "--hold", "--parsable", str(script.path), cwd=script.path.parent).strip().split(";")[0]
        name = script.options["job-name"]
        found = cluster.run("bash", "-c", f"RUN={name}; {lines[0]}; scancel \"$JOB\"; echo \"$JOB\"").strip()
        left = cluster.run("squeue", "--me", "--noheader", f"--name={name}", "--format=%i").strip()
        if found != job or left:
            cluster.run("scancel", "--me", f"--name={name}")
            raise SlurmError(f"{readme} takes {found} for job {job}, and `scancel` leaves {left or 'nothing'}")
        print(f"ok       {script.path}: the README's `JOB` and `scancel` are about all of job {job}")

    def broken_copies(self, cluster, script):
        """The check itself must be able to fail."""
        accepted = []
        for option in ("--partition=no-such-partition", "--nodes=two", "--gpus-per-node=no-such-type:8", "--container-mounts=,"):
            copy = cluster.dir / "jobs" / "broken.sbatch"
            head, rest = script.text.split("\n", 1)
            copy.write_text(f"{head}\n{without(rest, option)}" if option in rest else f"{head}\n" + replaced_option(rest, option))
            try:
                cluster.run("sbatch", "--test-only", str(copy))
                accepted.append(option)
            except SlurmError:
                pass
        if accepted:
            self.refused += 1
            print(f"WRONG    {script.path}: accepted with {', '.join(accepted)}")
        else:
            print(f"ok       {script.path}: broken copies are refused (4 of 4)")

    def run_some(self, cluster, scripts):
        several = sorted((script for script in scripts if script.gpus and script.nodes > 1), key=lambda script: script.nodes)
        small = [script for script in several if script.nodes <= RUN_NODES] or several[:1]
        for script in small:
            try:
                self.run_once(cluster, script)
            except SlurmError as error:
                self.refuse(script.path, str(error))
        for script in [script for script in small if script.helpers][:1]:
            try:
                self.run_helped(cluster, script)
            except SlurmError as error:
                self.refuse(script.path, str(error))
        for script in [script for script in small if script.requeues][:1]:
            try:
                self.run_interrupted(cluster, script)
                if not self.failed:
                    self.run_failing(cluster, script)
                self.run_unprepared(cluster, script)
                for urgent in cluster.higher(script.partition):
                    self.run_preempted(cluster, script, urgent)
            except SlurmError as error:
                self.refuse(script.path, str(error))

    def run_array(self, cluster, script):
        """The last job of an array has the array's own number. Warned, it ends and goes back to the queue, and no other does."""
        job = submit(cluster, script, "wait")

        def jobs() -> dict:
            shown = cluster.run("scontrol", "-o", "show", "job", job)
            fields = [dict(item.split("=", 1) for item in line.split() if "=" in item) for line in shown.splitlines() if "JobId=" in line]
            return {one["ArrayTaskId"]: one for one in fields}
        try:
            steps = lambda: re.findall(rf"{job}_(\d+)\.\S+ train", cluster.run("squeue", "--noheader", "--steps", f"--jobs={job}", "--format=%i %j"))
            until(lambda: len(steps()) == len(jobs()) > 1, f"steps of all jobs of array {job}", lambda: str(jobs()))
            last = max(jobs(), key=int)
            if jobs()[last]["JobId"] != job:
                raise SlurmError(f"job {last} of array {job} has the number {jobs()[last]['JobId']}")
            cluster.run("scancel", "--batch", "--signal=USR1", f"{job}_{last}")
            until(lambda: jobs()[last]["Restarts"] == "1", f"way back of job {last} of array {job}", lambda: str(jobs()))
            others = {number: (one["JobState"], one["Restarts"]) for number, one in jobs().items() if number != last}
            if set(others.values()) != {("RUNNING", "0")}:
                raise SlurmError(f"when job {last} of array {job} was warned and went back to the queue, the others became {others}")
            print(f"ok       {script.path}: of array {job} job {last} was warned and requeued, and {', '.join(sorted(others))} run on")
        except SlurmError as error:
            self.refuse(script.path, str(error))
        finally:
            cluster.run("scancel", job, check=False)

    def run_chain(self, cluster, chain: Path):
        """Jobs that one script submits come each after those that it waits for, each job of an array too, and ranks are in the order of
        machines where a script asks for that: here the reverse of the nodes'."""
        folder, near = cluster.dir / "jobs" / "chain", cluster.dir / "near"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(chain.parent.parent, folder)
        for path in folder.rglob("submit.sh"):
            path.write_text(re.sub(r"(?m)^image=/.*/images/", f"image={cluster.dir}/images/", path.read_text()))
        near.mkdir(exist_ok=True)
        (near / "curl").unlink(missing_ok=True)
        (near / "curl").symlink_to(HERE / "curl")
        (cluster.dir / "facts" / "mode").write_text("ok\n")
        environment = (f"LOGS={cluster.dir}/jobs", f"PATH={near}:{cluster.environment['PATH']}")
        try:
            told = cluster.run("env", *environment, str(folder / chain.parent.name / "chain.sh"), cwd=cluster.dir / "jobs")
            jobs = dict(re.findall(r"^(\S+) is job (\d+)$", told, re.M))
            if len(jobs) != len(re.findall(r"^\S+ is job ", told, re.M)):
                raise SlurmError(f"a job is submitted twice\n{told}")
            waits = {name: re.findall(r'JOB_\w+="\$(JOB_\w+)"', line) for line, name in
                     re.findall(r'^(JOB_.*/\.\./(\S+)/submit\.sh.*)$', chain.read_text(), re.M)}
            ended = {}
            for name, job in jobs.items():
                if finish(cluster, job) != "COMPLETED":
                    raise SlurmError(f"job {job}, {name}, ended {show(cluster, job)['JobState']}\n{job_logs(cluster, job)}")
                times = [dict(item.split("=", 1) for item in line.split() if "=" in item)
                         for line in cluster.run("scontrol", "-o", "show", "job", job).splitlines() if line.startswith("JobId=")]
                if any(min(one["StartTime"] for one in times) < ended[before] for before in waits[name]):
                    raise SlurmError(f"job {job}, {name}, started before what it waits for had ended")
                ended["JOB_" + re.sub(r"\W", "_", name).upper()] = max(one["EndTime"] for one in times)
                text = (folder / name / f"{name}.sbatch").read_text()
                first = [rank["host"] for rank in facts(cluster, job) if rank["rank"] == "0"] if "physical_host" in text else []
                if first and first[0] != max(hosts(show(cluster, job)["NodeList"])):
                    raise SlurmError(f"job {job}, {name}: rank 0 is on {first[0]}, which is not the first of the machines\n{job_logs(cluster, job)}")
                if first:
                    agree(Script(folder / name / f"{name}.sbatch"), facts(cluster, job))
            print(f"ok       {chain}: {', '.join(jobs)} came each after what it waits for")
        except (SlurmError, OSError) as error:
            self.refuse(chain, str(error))

    def run_preempted(self, cluster, script, urgent: str):
        """A job of a higher tier takes the nodes: the script is warned before, and goes back to the queue."""
        job = submit(cluster, script, "wait")
        until(lambda: waiting(cluster, job) >= script.nodes, "waiting launchers", lambda: job_logs(cluster, job))
        other = cluster.run("sbatch", "--parsable", f"--partition={urgent}", f"--nodes={script.nodes}", "--output=/dev/null",
                            "--wrap=true", cwd=cluster.dir / "jobs").strip().splitlines()[-1].split(";")[0]
        until(lambda: show(cluster, job).get("Restarts") == "1", f"way back to the queue of job {job}", lambda: job_logs(cluster, job))
        if finish(cluster, other) != "COMPLETED":
            raise SlurmError(f"job {other} of {urgent} did not run\n{job_logs(cluster, other)}")
        if "warned by Slurm" not in job_output(cluster, job):
            raise SlurmError(f"job {job} was not warned before job {other} took its nodes\n{job_logs(cluster, job)}")
        cluster.run("scancel", job)
        print(f"ok       {script.path}: warned and requeued when a job of {urgent} took its nodes")

    def run_once(self, cluster, script):
        job = submit(cluster, script, "ok")
        state = finish(cluster, job)
        if state != "COMPLETED":
            raise SlurmError(f"job {job} ended {state}\n{job_logs(cluster, job)}")
        ranks = facts(cluster, job)
        agree(script, ranks)
        self.ran += 1
        print(f"ok       {script.path}: ran on {script.nodes} nodes: {len({rank['launcher'] for rank in ranks})} launchers, "
              f"{len(ranks)} ranks, master {ranks[0]['master']}:{ranks[0]['port']}")

    def run_helped(self, cluster, script):
        """A helper that fails starts again, and the job is none the worse for it."""
        job = submit(cluster, script, "wait", fails=script.helpers)
        steps = {gang.name for gang in script.helpers}

        def launchers() -> int:
            return len({fact.split("launcher=")[1] for fact in all_facts(cluster, job) if fact.startswith("rank=") and step_of(fact) in steps})
        until(lambda: launchers() > len(steps), f"second start of {', '.join(steps)} in job {job}", lambda: job_logs(cluster, job))
        others = [gang for gang in script.gangs if gang.name not in steps]
        until(lambda: {gang.name for gang in others} <= {step_of(fact) for fact in all_facts(cluster, job)}, f"other groups of job {job}",
              lambda: job_logs(cluster, job))
        enough = cluster.dir / "facts" / "enough"
        enough.touch()
        state = finish(cluster, job)
        enough.unlink()
        if state != "COMPLETED":
            raise SlurmError(f"job {job}, whose helper failed, ended {state}\n{job_logs(cluster, job)}")
        print(f"ok       {script.path}: {', '.join(sorted(steps))} failed and started again, and the job ran to its end")

    def run_interrupted(self, cluster, script):
        """Taken from its nodes in the middle, the job is queued again, and the second attempt keeps the first one's log."""
        deaf = deaf_once(cluster)
        job = submit(cluster, script, "wait", f"PATH={deaf}:{cluster.environment['PATH']}")
        until(lambda: waiting(cluster, job) >= script.nodes or show(cluster, job).get("JobState") in ENDED, "waiting launchers",
              lambda: job_logs(cluster, job))
        if waiting(cluster, job) < script.nodes:
            raise SlurmError(f"job {job} ended {show(cluster, job).get('JobState')} before it trained\n{job_logs(cluster, job)}")
        (cluster.dir / "facts" / "mode").write_text("ok\n")
        if script.signal:
            cluster.run("scancel", "--batch", f"--signal={script.signal}", job)
            how = f"signalled {script.signal} as before the time limit"
            if "squeue" in script.text:
                until(lambda: (deaf / "asked").exists(), f"squeue of job {job}", lambda: job_logs(cluster, job))
                how += ", squeue failing once"
        else:
            cluster.run("scontrol", "requeue", job)
            how = "requeued by the scheduler"
        until(lambda: show(cluster, job).get("Restarts") == "1", f"second attempt of job {job} ({how})", lambda: job_logs(cluster, job))
        self.start_again(cluster, job)
        state = finish(cluster, job)
        if state != "COMPLETED":
            raise SlurmError(f"job {job}, {how}, ended {state} at the second attempt\n{job_logs(cluster, job)}")
        agree(script, [fact for fact in facts(cluster, job) if fact["attempt"] == "1"])
        if "stand-in waits at attempt 0" not in job_output(cluster, job):
            raise SlurmError(f"job {job}, {how}: the first attempt's log is lost")
        removed = [line for line in job_output(cluster, job).splitlines() if " removes " in line]
        if len(removed) != script.nodes or any(not line.endswith(f" removes --force pyxis_{job}.0") for line in removed):
            raise SlurmError(f"job {job}, {how}: containers of the first attempt on {script.nodes} nodes, of which are removed: {removed}")
        self.requeued += 1
        print(f"ok       {script.path}: {how}, queued again, ran to its end at the second attempt")

    def run_failing(self, cluster, script):
        """A run that always fails is started again as often as its restarts allow, and no more."""
        copy = cluster.dir / "jobs" / script.path.name
        text, allowed = re.subn(r"failures < \d+", f"failures < {RESTARTS}", script.text)
        if not allowed:
            return
        copy.write_text(text)
        job = submit(cluster, Script(copy), "fail")
        for attempt in range(1, RESTARTS + 1):
            until(lambda: show(cluster, job).get("Restarts") == str(attempt) or show(cluster, job).get("JobState") in ENDED,
                  f"restart {attempt} of job {job}", lambda: job_logs(cluster, job))
            if show(cluster, job).get("JobState") in ENDED:
                raise SlurmError(f"job {job} ended before restart {attempt} of {RESTARTS}\n{job_logs(cluster, job)}")
            self.start_again(cluster, job)
        state, attempts = finish(cluster, job), {fact["attempt"] for fact in facts(cluster, job)}
        if state != "FAILED" or show(cluster, job).get("Restarts") != str(RESTARTS):
            raise SlurmError(f"job {job} that always fails: {state} after {show(cluster, job).get('Restarts')} restarts")
        self.failed = True
        print(f"ok       {script.path}: failed {len(attempts)} times with {RESTARTS} restarts, then for good")

    def run_unprepared(self, cluster, script):
        """What has to be there before the training and is not, a mount for one, is a failure that counts as the training's own."""
        copy = cluster.dir / "jobs" / script.path.name
        text, prepares = re.subn(r'^.* \|\| leave "\$\?"$', 'false || leave "$?"', script.text, count=1, flags=re.M)
        if not prepares:
            text = script.text.replace("\nsrun --job-name=train", '\nfalse || leave "$?"\nsrun --job-name=train', 1)
        copy.write_text(re.sub(r"failures < \d+", "failures < 1", text))
        job = submit(cluster, Script(copy), "ok")
        until(lambda: show(cluster, job).get("Restarts") == "1" or show(cluster, job).get("JobState") in ENDED,
              f"restart of job {job}, which could not prepare", lambda: job_logs(cluster, job))
        if show(cluster, job).get("JobState") in ENDED:
            raise SlurmError(f"job {job}, which could not prepare, ended before its one restart\n{job_logs(cluster, job)}")
        self.start_again(cluster, job)
        state = finish(cluster, job)
        if state != "FAILED" or all_facts(cluster, job):
            raise SlurmError(f"job {job}, which could not prepare: {state}, {len(all_facts(cluster, job))} ranks started")
        print(f"ok       {script.path}: failed before it trained, queued again once, then failed for good")

    def start_again(self, cluster, job: str):
        """A job that is queued again waits two minutes of its own, until no node can take the next attempt for the one that it
        was told to kill ("already killed, do not launch"). Here that is over once the nodes have ended the last one."""
        until(lambda: show(cluster, job).get("JobState") == "PENDING" and cluster.all_idle(), f"idle nodes after job {job}",
              lambda: job_logs(cluster, job))
        found = show(cluster, job).get("HetJobIdSet", job)
        for component in hosts(f"[{found}]"):
            cluster.run("scontrol", "update", f"JobId={component}", f"StartTime=now+{KILLED_SECONDS}")
        if found != job:
            # jobs of components are started by the backfill scheduler alone, which looks again when something has changed
            time.sleep(KILLED_SECONDS + 1)
            cluster.run("scontrol", "update", f"JobId={job}", "Comment=again")

    def refuse(self, where, words: str):
        self.refused += 1
        for line in words.strip().splitlines():
            print(f"REFUSED  {where}: {line}")


class Script:
    """A batch script and what its header asks for."""

    def __init__(self, path: Path):
        self.path, self.text = path, path.read_text()
        self.components = [{}]
        for line in self.text.splitlines()[1:]:
            if not line.startswith("#SBATCH "):
                if line.strip() and not line.startswith("#"):
                    break
                continue
            if line == "#SBATCH hetjob":
                self.components.append({})
                continue
            name, _, given = line.removeprefix("#SBATCH ").strip().removeprefix("--").partition("=")
            self.components[-1][name] = given.split(" #")[0].strip().strip("\"'")
        self.options = self.components[0]
        self.partition = self.options.get("partition", "")
        self.nodes = sum(nodes_of(options) for options in self.components)
        self.gpu_type, self.gpus = gpus_of(self.options)
        self.gangs = [Gang(found) for found in STEPS.finditer(self.text)]
        deciding = re.findall(r"\[(\d+)\]=1", next(iter(re.findall(r"^deciding=\((.*)\)$", self.text, re.M)), ""))
        self.helpers = [gang for gang in self.gangs if str(gang.number) not in deciding]
        self.requeues = "failures=" in self.text  # also after it was warned, not only where its nodes are taken
        # secrets come from the environment of the submission
        self.secrets = re.findall(r'^__secret="\$\(printenv (\w+) ', self.text, re.M)
        signalled = re.fullmatch(r"(?:[RB]+:)(\w+)(?:@\d+)?", self.options.get("signal", ""))
        self.signal = signalled.group(1) if signalled else ""


def release_of(conf: Path) -> tuple[int, int]:
    """The first release that knows how the configuration tells of distances."""
    if (conf.parent / "topology.yaml").exists():
        return 25, 5
    plugins = [value(line) for line in logical_lines(conf) if key(line) == "topologyplugin"]
    return (23, 11) if "topology/block" in plugins else (0, 0)


def installed() -> tuple[int, int]:
    """The release of Slurm that judges: `slurm-wlm 22.05.8`."""
    told = subprocess.run(["slurmctld", "-V"], capture_output=True, text=True, check=True).stdout
    year, month = re.search(r"(\d+)\.(\d+)", told).groups()
    return int(year), int(month)


# A step of a job of several, as the script says it.
STEPS = re.compile(r"""^at=\((?:--het-group=\d+ )?--relative=\d+ --nodes=(?P<nodes>\d+)\)$(?:(?!^at=).)*?^step_(?P<number>\d+)=\(
  srun --job-name=(?P<name>\S+) [^\n]*--ntasks-per-node=(?P<tasks>\d+)$(?P<rest>.*?)^\)$""", re.M | re.S)


class Gang:
    """Equal nodes of a job of several groups."""

    def __init__(self, found):
        self.name, self.nodes, self.number = found["name"], int(found["nodes"]), int(found["number"])
        launcher = re.search(r"--nproc_per_node=(\d+)", found["rest"])
        self.per_node = int(launcher[1]) if launcher else int(found["tasks"])
        self.shares = " --overlap" in found["rest"]

    def awaits(self, script) -> list[int]:
        """The numbers of those that it lets end before it starts."""
        line = re.search(rf"^    {self.number}\) (is_.*) ;;$", script.text, re.M)
        return [int(number) for number in re.findall(r"is_complete (\d+)", line[1])] if line else []


def nodes_of(options) -> int:
    return int(options.get("nodes", "1").split("-")[0])


def gpus_of(options) -> tuple[str, int]:
    gpus = options.get("gpus-per-node") or options.get("gres", "").removeprefix("gpu:")
    return gpus.rsplit(":", 1)[0] if ":" in gpus else "", int(gpus.rsplit(":", 1)[-1]) if gpus else 0


def standin_conf(scripts) -> str:
    partitions = {}
    for options in [options for script in scripts for options in script.components]:
        partitions.setdefault(options.get("partition") or "standin", []).append(options)
    lines = ["ClusterName=standin", "SlurmctldHost=localhost", "SelectType=select/cons_tres", "SelectTypeParameters=CR_Core_Memory", "GresTypes=gpu"]
    for name, group in partitions.items():
        nodes = max(nodes_of(options) for options in group)
        kind, gpus = next((found for found in map(gpus_of, group) if found[1]), ("", 0))
        gres = f" Gres=gpu:{kind + ':' if kind else ''}{gpus}" if gpus else ""
        span = f"[0-{nodes - 1}]" if nodes > 1 else "0"
        lines += [f"NodeName={name}-{span} CPUs=224 RealMemory=1800000{gres}", f"PartitionName={name} Nodes={name}-{span} MaxTime=INFINITE State=UP"]
    return "\n".join(lines) + "\n"


def site_of(scripts) -> tuple[str, ...]:
    """What the scripts expect of the site's machines: sources of mounts, files that they source, where logs lie."""
    found = set()
    for script in scripts:
        for mounts in re.findall(r"--container-mounts[= ][\"']?([^\s\"']+)", script.text):
            found |= {f"folder {path}" for mount in mounts.split(",") for path in mount.split(":")[:2] if re.fullmatch(r"/[\w./-]*", path)}
        found |= {f"file {path}" for path in re.findall(r"(?:\bsource|(?<![\w.])\.)\s+[\"']?(/[\w./-]+)", script.text)}
        found |= {f"folder {path}" for path in re.findall(r"^if \[\[ ! -e (/[\w./-]+) \]\]", script.text, re.M)}
        for option in ("output", "error", "chdir"):
            first = re.match(r"/[^/]+(?=/)", script.options.get(option, ""))
            found |= {f"folder {first.group()}"} if first else set()
    return tuple(sorted(found))


def without(text: str, option: str) -> str:
    return text.replace(f"#SBATCH {option}\n", "")


def replaced_option(text: str, option: str) -> str:
    """The header with one option as given, in place of the script's own."""
    name = option.split("=", 1)[0]
    kept = [line for line in text.splitlines() if not line.startswith(f"#SBATCH {name}")]
    return "\n".join([f"#SBATCH {option}", *kept]) + "\n"


def submit(cluster, script, mode: str, *variables: str, fails=()) -> str:
    (cluster.dir / "facts" / "mode").write_text(f"{mode}\n")
    ends = {number for gang in script.gangs for number in gang.awaits(script)}
    for gang in script.gangs:
        own = cluster.dir / "facts" / f"mode.{gang.name}"
        own.unlink(missing_ok=True)
        if gang in fails:
            own.write_text("fail\n")
        elif mode == "wait" and gang.number in ends:
            own.write_text("ok\n")
    given = ["ALL", f"LOGS={cluster.dir}/jobs", *variables, *(f"{name}=standin" for name in script.secrets)]
    return cluster.run("sbatch", "--parsable", f"--export={','.join(given)}", str(script.path), cwd=cluster.dir / "jobs").strip().splitlines()[-1].split(";")[0]


def deaf_once(cluster) -> Path:
    """A folder with a `squeue` that fails the first time."""
    folder = cluster.dir / "deaf"
    folder.mkdir(exist_ok=True)
    program = folder / "squeue"
    program.write_text(f'#!/bin/sh\nif mkdir {folder}/asked 2>/dev/null; then\n  echo "Unable to contact slurm controller" >&2\n  exit 1\nfi\n'
                       f'exec {shutil.which("squeue")} "$@"\n')
    program.chmod(0o755)
    return folder


def show(cluster, job: str) -> dict:
    for _ in range(QUESTIONS):
        shown = cluster.run("scontrol", "-o", "show", "job", job, check=False, timeout=20)
        text = next((line for line in shown.splitlines() if line.startswith(f"JobId={job} ")), "")  # not of its other components
        if text:
            return dict(item.split("=", 1) for item in text.split() if "=" in item)
    raise SlurmError(f"scontrol does not know job {job}: {shown.strip()}")


def finish(cluster, job: str) -> str:
    until(lambda: show(cluster, job).get("JobState") in ENDED, f"end of job {job}",
          lambda: f"{show(cluster, job).get('JobState')}, {show(cluster, job).get('Reason')}\n{job_logs(cluster, job)}")
    return show(cluster, job)["JobState"]


def until(condition, what, logs, seconds: float = ATTEMPT_SECONDS):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SlurmError(f"no {what} in {seconds:.0f} s\n{logs()}")
        time.sleep(0.2)


def job_output(cluster, job: str) -> str:
    paths = [cluster.on_nodes(path) for path in sorted({show(cluster, job).get(stream, "") for stream in ("StdOut", "StdErr")}) if path]
    paths += sorted((cluster.dir / "jobs").glob(f"*-{job}-*.out"))  # of groups
    return "\n".join(path.read_text(errors="replace")[-4000:] for path in paths if path.is_file())


def job_logs(cluster, job: str) -> str:
    """What the job wrote, and what the daemons complained about."""
    complaints = [line.split("] ", 1)[-1] for line in cluster.logs().splitlines() if "error" in line and f"{job}." in line]
    return "\n".join([job_output(cluster, job), *complaints[-10:]])


def all_facts(cluster, job: str) -> list[str]:
    path = cluster.dir / "facts" / f"{job}.facts"
    return path.read_text().splitlines() if path.exists() else []


def step_of(fact: str) -> str:
    return fact.split(" step=")[1].split()[0]


def waiting(cluster, job: str) -> int:
    return sum("waiting" in fact for fact in all_facts(cluster, job))


def facts(cluster, job: str) -> list[dict]:
    found = [dict(item.split("=", 1) for item in line.split()) for line in all_facts(cluster, job) if line.startswith("rank=")]
    if not found:
        raise SlurmError(f"job {job} started no rank\n{job_logs(cluster, job)}")
    return found


def agree(script, ranks: list[dict]):
    """Each group is a world on nodes of its own, helpers on those of others; what is waited for to end has ended."""
    if not script.gangs:
        agree_as_one(script.nodes, script.gpus, ranks)
        return
    taken = []
    for gang in script.gangs:
        own = [rank for rank in ranks if rank["step"] == gang.name]
        if not own:
            raise SlurmError(f"group {gang.name} started no rank")
        try:
            agree_as_one(gang.nodes, gang.per_node, own)
        except SlurmError as error:
            raise SlurmError(f"group {gang.name}: {error}") from None
        taken += [] if gang.shares else sorted({rank["host"] for rank in own})
        names = {other.name for other in script.gangs if other.number in gang.awaits(script)}
        if any(rank["step"] in names for rank in ranks[ranks.index(own[0]):]):
            raise SlurmError(f"group {gang.name} started before {', '.join(sorted(names))} had ended")
    if len(taken) != len(set(taken)):
        raise SlurmError(f"groups share nodes: {taken}")


def agree_as_one(nodes: int, gpus: int, ranks: list[dict]):
    """One world: every rank once, one place to meet, every GPU of every node used."""
    world = nodes * gpus
    wrong = []
    if sorted(int(rank["rank"]) for rank in ranks) != list(range(world)):
        wrong.append(f"ranks {sorted(int(rank['rank']) for rank in ranks)}, expected 0 to {world - 1}")
    if {rank["world"] for rank in ranks} != {str(world)}:
        wrong.append(f"world sizes {sorted({rank['world'] for rank in ranks})}, expected {world}")
    masters = {(rank["master"], rank["port"]) for rank in ranks}
    if len(masters) != 1 or "" in next(iter(masters)):
        wrong.append(f"rendezvous at {sorted(masters)}")
    elif next(iter(masters))[0] not in {rank["host"] for rank in ranks}:
        wrong.append(f"the rendezvous host {next(iter(masters))[0]} is none of the job's nodes")
    by_node = {}
    for rank in ranks:
        by_node.setdefault(rank["host"], []).append(rank)
    if len(by_node) != nodes or any(sorted(int(rank["local"]) for rank in group) != list(range(gpus)) for group in by_node.values()):
        wrong.append(f"ranks per node {({node: len(group) for node, group in by_node.items()})}, expected {gpus} on each of {nodes}")
    if any(rank["host"] != rank["master"] for rank in ranks if rank["rank"] == "0"):
        wrong.append(f"rank 0 is not where the others meet, {ranks[0]['master']}")
    launchers = len({rank["launcher"] for rank in ranks})
    if launchers not in (nodes, world):
        wrong.append(f"{launchers} launchers on {nodes} nodes")
    if len({rank["image"] for rank in ranks}) != 1:
        wrong.append(f"images {sorted({rank['image'] for rank in ranks})}")
    if wrong:
        raise SlurmError("\n".join(wrong))


if __name__ == "__main__":
    sys.exit(main())
