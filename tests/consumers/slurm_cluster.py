"""A Slurm cluster on this one machine, from a rendered configuration: munged, slurmctld, and one slurmd for each node.

The configuration is the site's, so a few settings cannot hold here: addresses, ports, users, paths, cgroups, and what
needs daemons of the site. Those, and no others, are replaced; `Cluster.replaced` names each so that nothing is hidden. The
file as rendered is read by Slurm's own parser before anything is replaced in it. Its schedulers look at their queue every
other second on top of what it says, where a site's may take a minute.

Each controller of the configuration runs under its own name and address, so that one can take over from the other; what jobs used is kept
by the rendered server for it (`slurm_accounts.py`); and nodes that fetch their configuration are started with none.
"""
import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import slurm_accounts

HERE = Path(__file__).resolve().parent / "slurm"
PROGRAMS = ("torchrun", "python", "python3", "all_gather_perf", "all_gather_perf_mpi", "all_reduce_perf", "all_reduce_perf_mpi")
OF_THE_SITE = """
    AccountingStorageBackupHost AccountingStorageEnforce AccountingStorageHost AccountingStorageParameters
    AccountingStoragePass AccountingStoragePort AccountingStorageTRES AccountingStorageType AccountingStorageUser
    AcctGatherEnergyType AcctGatherNodeFreq AuthAltParameters AuthAltTypes AuthInfo AuthType ClusterName CredType
    Epilog EpilogSlurmctld HealthCheckInterval HealthCheckNodeState HealthCheckProgram InactiveLimit
    JobAcctGatherFrequency JobAcctGatherType JobCompHost JobCompLoc JobCompType JobContainerType JobSubmitPlugins
    KillWait MailProg MinJobAge PlugStackConfig PrologEpilogTimeout ProctrackType Prolog PrologSlurmctld RebootProgram
    ResumeFailProgram ResumeProgram ResumeRate ResumeTimeout ReturnToService SlurmctldAddr SlurmctldHost
    SlurmctldLogFile SlurmctldPidFile SlurmctldPort SlurmctldTimeout SlurmdLogFile SlurmdParameters
    SlurmdPidFile SlurmdPort SlurmdSpoolDir SlurmdTimeout SlurmdUser SlurmUser StateSaveLocation SuspendExcNodes
    SuspendExcParts SuspendProgram SuspendRate SuspendTime SuspendTimeout TaskEpilog TaskPlugin TaskPluginParam
    TaskProlog TmpFS UnkillableStepTimeout EnforcePartLimits
""".lower().split()
INSTALLED = {"prolog": "prolog.d", "epilog": "epilog.d", "healthcheckprogram": "health-check.sh"}
# what the rendered server for accounts says of itself, and what is said of it here
ACCOUNTING = {"accountingstoragetype", "accountingstorageenforce", "accountingstoragetres"}
CHECKED = {"healthcheckprogram", "healthcheckinterval"}
TAKES_OVER_SECONDS = 10
# HOSTS FOLDER NAME COMMAND...: on a machine of that name, which knows those hosts and has that folder to itself
UNDER_A_NAME = ["unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c",
                'mount --bind "$1" /etc/hosts && mount -t tmpfs tmpfs "$2" && hostname "$3" && shift 3 && exec "$@"', "name"]
HASTE = "sched_interval=2,bf_interval=1"


class SlurmError(Exception):
    """What a daemon or a command of Slurm says; the message holds its own words."""


class Cluster:
    """A running cluster; use as a context manager."""

    def __init__(self, conf: Path, other_files: tuple[Path, ...] = (), site: tuple[str, ...] = ()):
        """`site` names what only the site's machines have: `folder /shared`, `file /opt/site/environment.sh`."""
        self.source, self.other_files, self.site = conf, other_files, site
        self.dir = Path(tempfile.mkdtemp(prefix="slipform-slurm-"))
        self.dir.chmod(0o755)
        self.nodes: list[str] = []
        self.partitions: list[str] = []
        self.replaced: list[str] = []
        self.controllers: list[str] = []
        self.daemons: dict[str, subprocess.Popen] = {}  # of controllers, by their names
        self.accounts: slurm_accounts.Accounts | None = None
        self.configless = False
        self.processes: list[subprocess.Popen] = []
        self.environment = os.environ | {"SLURM_CONF": str(self.dir / "slurm.conf"), "PATH": f"{os.environ['PATH']}:{self.dir}/host"}

    def __enter__(self):
        try:
            self.parse_as_rendered()
            self.lay_out()
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def parse_as_rendered(self):
        """scontrol reads the whole of slurm.conf before it does anything."""
        environment = os.environ | {"SLURM_CONF": str(self.source.resolve())}
        done = subprocess.run(["scontrol", "show", "hostlist", "a,b"], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0 or "error" in done.stderr:
            raise SlurmError(f"slurm.conf as rendered: {done.stderr.strip()}")

    def lay_out(self):
        for name in ("state", "spool", "log", "dev", "munge", "programs", "host", "facts", "jobs", "pid"):
            (self.dir / name).mkdir()
        (self.dir / "munge").chmod(0o700)
        (self.dir / "munge" / "key").write_bytes(os.urandom(128))
        (self.dir / "munge" / "key").chmod(0o400)
        (self.dir / "facts" / "mode").write_text("ok\n")
        for program in PROGRAMS:
            (self.dir / "programs" / program).symlink_to(HERE / "launcher")
        (self.dir / "host" / "enroot").symlink_to(HERE / "enroot")
        (self.dir / "site").write_text("".join(f"{line}\n" for line in self.site))
        plugin = self.dir / "pyxis_standin.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", plugin, HERE / "pyxis_standin.c"], check=True)
        (self.dir / "plugstack.conf").write_text(f"required {plugin} programs={self.dir}/programs facts={self.dir}/facts\n")
        for path in self.other_files:
            if path.name not in ("slurm.conf", "gres.conf", "cgroup.conf", "plugstack.conf"):
                shutil.copy(path, self.dir)
        self.write_slurm_conf()

    def write_slurm_conf(self):
        lines, gpus, default_gres = [], {}, ""
        settings = hastened(logical_lines(self.source))
        ports = free_ports(2 + sum(len(hosts(value(line))) for line in settings if key(line) == "nodename"))
        controller, next_port = ports, ports + 2
        accounts = self.source.parent / "slurmdbd" / "slurmdbd.conf"
        if accounts.exists() and not slurm_accounts.missing():
            self.accounts = slurm_accounts.Accounts(accounts, self.dir, this_host(), ports + 1)
            lines += self.accounts.settings(self.dir / "munge.socket")
        for line in settings:
            if key(line) in INSTALLED and (scripts := self.source.parent / INSTALLED[key(line)]).exists():
                lines.append(self.installed(line, scripts))
                continue
            if key(line) == "slurmctldhost":
                self.controllers.append(re.split(r"[(\s]", value(line))[0])
            if key(line) == "slurmctldparameters":
                self.configless = "enable_configless" in value(line).split(",")
            if key(line) == "rebootprogram":
                lines.append(f"RebootProgram={self.dir}/host/reboot")
            kept = key(line) in CHECKED or key(line) == "resumetimeout" or (self.accounts and key(line) in ACCOUNTING)
            if key(line) in OF_THE_SITE and not kept:
                self.replaced.append(line)
                continue
            if key(line) == "nodename":
                gres = re.search(r"\bGres=(\S+)", line, re.I)
                if value(line).lower() == "default":
                    default_gres = gres.group(1) if gres else ""
                else:
                    names = hosts(value(line))
                    self.nodes += names
                    gpus |= {name: gres.group(1) if gres else default_gres for name in names}
                    line = on_this_machine(line, next_port, len(names))
                    next_port += len(names)
            if key(line) == "partitionname" and value(line).lower() != "default":
                self.partitions.append(value(line))
            lines.append(line)
        (self.dir / "slurm.conf").write_text("\n".join(lines + self.of_this_machine(controller)) + "\n")
        self.write_gres_conf(gpus)

    def installed(self, line: str, scripts: Path) -> str:
        """The line for scripts that nodes run, which are installed as the rendered page says."""
        if value(line) != f"/etc/slurm/{scripts.name}{'/*' if scripts.is_dir() else ''}":
            raise SlurmError(f"{line} does not run what is in {scripts.name}")
        if scripts.is_file():
            subprocess.run(["install", "-m", "755", scripts, self.dir / scripts.name], check=True)
            return line.replace("/etc/slurm", str(self.dir))
        (self.dir / scripts.name).mkdir()
        for script in scripts.iterdir():
            subprocess.run(["install", "-m", "755", script, self.dir / scripts.name], check=True)
        return line.replace("/etc/slurm", str(self.dir))

    def of_this_machine(self, port: int) -> list[str]:
        at = self.dir
        self.port = port
        if len(self.controllers) < 2 or not may_have_names():
            self.controllers = [this_host()]
        several = ["CommunicationParameters=NoCtldInAddrAny", f"SlurmctldTimeout={TAKES_OVER_SECONDS}"]
        return [
            "ClusterName=consumers", *(f"SlurmctldHost={host}({self.address(host)})" for host in self.controllers), f"SlurmctldPort={port}",
            *(several if len(self.controllers) > 1 else []),
            f"SlurmUser={getpass.getuser()}", f"SlurmdUser={getpass.getuser()}", "AuthType=auth/munge",
            f"AuthInfo=socket={at}/munge.socket", "CredType=cred/munge", f"StateSaveLocation={at}/state",
            f"SlurmdSpoolDir={at}/spool/%n", f"SlurmctldPidFile={at}/pid/slurmctld.pid", f"SlurmdPidFile={at}/slurmd.%n.pid",
            f"SlurmctldLogFile={at}/log/slurmctld.log", f"SlurmdLogFile={at}/log/slurmd.%n.log",
            "ProctrackType=proctrack/linuxproc", "TaskPlugin=task/none", "MailProg=/bin/true", "ReturnToService=2",
            "SlurmdParameters=config_overrides", "KillWait=2", "MinJobAge=300", "EnforcePartLimits=ALL",
            "SlurmdTimeout=300", f"TmpFS={at}/tmp/%n", f"PlugStackConfig={at}/plugstack.conf",
        ]

    def address(self, controller: str) -> str:
        return f"127.0.0.{1 + self.controllers.index(controller)}"

    def write_gres_conf(self, gpus: dict[str, str]):
        """The rendered gres.conf on devices that exist here; a site that detects its GPUs gets them listed."""
        rendered, lines = self.source.parent / "gres.conf", []
        for line in logical_lines(rendered) if rendered.exists() else []:
            if re.search(r"\bAutoDetect=", line, re.I):
                self.replaced.append(f"gres.conf: {line}")
                continue
            lines.append(re.sub(r"File=/dev/", f"File={self.dir}/dev/", line))
        if not any(re.search(r"\bName=gpu\b", line, re.I) for line in lines):
            for node, gres in gpus.items():
                for kind, count in re.findall(r"gpu(?::([a-z][\w.-]*))?:(\d+)", gres, re.I):
                    devices = f"{self.dir}/dev/nvidia[0-{int(count) - 1}]" if int(count) > 1 else f"{self.dir}/dev/nvidia0"
                    lines.append(f"NodeName={node} Name=gpu {f'Type={kind} ' if kind else ''}File={devices}")
        (self.dir / "gres.conf").write_text("\n".join(lines) + "\n")
        for device in {name for line in lines for name in devices_of(line)}:
            make_device(Path(device))

    def start(self):
        self.daemon(["munged", "--foreground", f"--key-file={self.dir}/munge/key", f"--socket={self.dir}/munge.socket",
                     f"--pid-file={self.dir}/munged.pid", f"--log-file={self.dir}/log/munged.log",
                     f"--seed-file={self.dir}/munge/seed", "--num-threads=2"])
        wait_for(lambda: (self.dir / "munge.socket").exists(), "munged's socket", self.logs)
        if self.accounts:
            self.start_accounts()
        (self.dir / "host" / "reboot").write_text(f"#!/bin/sh\ntouch {self.dir}/facts/rebooted\n")
        (self.dir / "host" / "reboot").chmod(0o755)
        known = [f"{self.address(host)} {host}\n" for host in self.controllers]
        (self.dir / "hosts").write_text(Path("/etc/hosts").read_text() + "".join(known))
        for host in self.controllers:
            self.control(host, "-c" if host == self.controllers[0] else "")
            address = self.address(host)
            wait_for(lambda: listens(self.port, address), f"controller {host}", self.logs)
        for node in self.nodes:
            (self.dir / "spool" / node).mkdir()
            (self.dir / "tmp" / node).mkdir(parents=True)
        if self.configless:
            self.environment["CONF_SERVER"] = ",".join(f"{self.address(host)}:{self.port}" for host in self.controllers)
        self.of_nodes = self.daemon([str(HERE / "nodes"), str(self.dir), *self.nodes])
        wait_for(self.all_idle, f"{len(self.nodes)} idle nodes", self.logs)

    def start_accounts(self):
        accounts, munge = self.accounts, self.dir / "munge.socket"
        self.environment |= accounts.environment
        database, server = accounts.daemons(munge)
        self.daemon(database)
        wait_for(accounts.socket.exists, "database's socket", self.logs)
        self.run("bash", "-c", f"set -e\n{accounts.statements()}")
        counting = self.daemon(server)
        wait_for(lambda: listens(accounts.port) or counting.poll() is not None, "slurmdbd", self.logs)
        if counting.poll() is not None:
            said = (self.dir / "log" / "slurmdbd.err").read_text(errors="replace").strip().splitlines()
            raise SlurmError(f"slurmdbd: {said[-1] if said else 'it ended'}")

    def admit(self) -> list[str]:
        """Runs what the page of the cluster says of who may submit."""
        lines = self.accounts.who_may_submit() if self.accounts else []
        for line in lines:
            self.run("bash", "-c", line)
        return lines

    def control(self, host: str, *options: str):
        """Starts a controller under its name."""
        command = ["slurmctld", "-D", *filter(None, options), "-f", str(self.dir / "slurm.conf")]
        if len(self.controllers) > 1:
            command = [*UNDER_A_NAME, str(self.dir / "hosts"), str(self.dir / "pid"), host, *command]
        self.daemons[host] = self.daemon(command, f"slurmctld-{host}")

    def on_nodes(self, path: str) -> Path:
        """A file as the nodes see it."""
        return Path(f"/proc/{self.of_nodes.pid}/root{self.dir}/view/root{path}") if (self.dir / "view").exists() else Path(path)

    def daemon(self, command: list[str], name: str = "") -> subprocess.Popen:
        log = open(self.dir / "log" / f"{name or Path(command[0]).name}.err", "ab")
        self.processes.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                               start_new_session=True))
        return self.processes[-1]

    def all_idle(self) -> bool:
        fatal = [line for line in self.logs().splitlines() if "fatal:" in line]
        if fatal:
            raise SlurmError(f"refused by the daemons: {fatal[0].strip()}")
        states = self.run("sinfo", "-h", "-N", "-o", "%N %t", check=False, timeout=3)
        return len({line.split()[0] for line in states.splitlines() if line.split()[1:] == ["idle"]}) == len(self.nodes)

    def logs(self) -> str:
        return "\n".join(path.read_text(errors="replace") for path in sorted((self.dir / "log").iterdir()))

    def higher(self, partition: str) -> list[str]:
        """Partitions over the same nodes whose jobs go before those of this one."""
        shown = self.run("scontrol", "-o", "show", "partition")
        known = {fields["PartitionName"]: fields for line in shown.splitlines() if line.startswith("PartitionName=")
                 for fields in [dict(item.split("=", 1) for item in line.split() if "=" in item)]}
        own = known[partition]
        return [name for name, fields in known.items()
                if fields["Nodes"] == own["Nodes"] and int(fields["PriorityTier"]) > int(own["PriorityTier"])]

    def complaints(self) -> list[str]:
        """What the controller logged against the configuration while it started."""
        log = (self.dir / "log" / "slurmctld.log").read_text(errors="replace")
        noise = re.compile(r"High latency for|pmix|MPI|MailProg|pam_slurm_adopt|state (save )?file|may be lost|job state|while in standby mode|Zero Bytes were|Blocks lack access to|_shutdown_bu_thread|No (trigger|node|reservation|partition|job)")
        said = [line.split("] ", 1)[-1] for line in log.splitlines()
                if re.search(r"(error|fatal|warning):", line, re.I) and not noise.search(line)]
        rendered = (self.source.parent / "slurmdbd").exists()  # and replaced, where there is no database
        return [line for line in said if self.accounts or not rendered or "can only be used with SlurmDBD" not in line]

    def run(self, *command: str, check: bool = True, timeout: float = 60, cwd: Path | None = None) -> str:
        """Both streams of a Slurm command; raises SlurmError with its words when it fails."""
        try:
            done = subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=timeout, cwd=cwd, check=False)
        except subprocess.TimeoutExpired:
            if check:
                raise SlurmError(f"{command[0]}: no answer in {timeout} s") from None
            return ""
        if check and done.returncode != 0:
            raise SlurmError(done.stdout.strip() or f"{command[0]}: exit status {done.returncode}")
        return done.stdout

    def stop(self):
        """Ends what was started here, newest first, by process group; then removes the folder."""
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes.clear()
        shutil.rmtree(self.dir, ignore_errors=True)


def this_host() -> str:
    return socket.gethostname().split(".")[0]


def may_have_names() -> bool:
    """Whether daemons on this machine can each have a name of their own."""
    return subprocess.run([*UNDER_A_NAME, "/etc/hosts", "/mnt", "other", "true"], capture_output=True, check=False).returncode == 0


def listens(port: int, address: str = "127.0.0.1") -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


def logical_lines(path: Path):
    """Settings of a configuration file: comments gone, continued lines joined, included files read."""
    for line in path.read_text().replace("\\\n", " ").splitlines():
        line = line.split("#", 1)[0].strip()
        included = re.match(r"include\s+(\S+)", line, re.I)
        if included:
            yield from logical_lines(path.parent / Path(included.group(1)).name)
        elif line:
            yield line


def hastened(lines) -> list[str]:
    """The settings, with schedulers that do not let a trial wait."""
    kept = [f"{line},{HASTE}" if key(line) == "schedulerparameters" else line for line in lines]
    return kept if any(key(line) == "schedulerparameters" for line in kept) else [*kept, f"SchedulerParameters={HASTE}"]


def key(line: str) -> str:
    return line.split("=", 1)[0].strip().lower()


def value(line: str) -> str:
    return line.split("=", 1)[1].split()[0]


def hosts(expression: str) -> list[str]:
    """The names in a host list such as dgx[001-004,7],login."""
    if expression.lower() == "default":
        return []
    names = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", expression):
        found = re.search(r"\[([^\]]*)\]", part)
        if not found:
            names.append(part)
            continue
        for span in found.group(1).split(","):
            low, _, high = span.partition("-")
            names += [name for number in range(int(low), int(high or low) + 1)
                      for name in hosts(part[:found.start()] + str(number).zfill(len(low)) + part[found.end():])]
    return names


def on_this_machine(line: str, port: int, count: int) -> str:
    line = re.sub(r"\s+(NodeAddr|NodeHostname|BcastAddr|Port|State)=\S+", "", line, flags=re.I)
    ports = str(port) if count == 1 else f"[{port}-{port + count - 1}]"
    return f"{line} NodeHostname={this_host()} NodeAddr=127.0.0.1 Port={ports} State=UNKNOWN"


def devices_of(line: str) -> list[str]:
    found = re.search(r"\bFile=(\S+)", line, re.I)
    return hosts(found.group(1)) if found else []


def make_device(path: Path):
    """A character device that swallows everything; a plain file where devices may not be made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.mknod(path, 0o20666, os.makedev(1, 3))
    except PermissionError:
        path.touch()


def free_ports(count: int) -> int:
    """The first of `count` ports in a row that nothing listens on."""
    for first in range(17000, 30000, 100):
        sockets = []
        try:
            for port in range(first, first + count):
                probe = socket.socket()
                sockets.append(probe)
                probe.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
        finally:
            for probe in sockets:
                probe.close()
    raise SlurmError(f"no {count} free ports in a row")


def wait_for(condition, what: str, logs, seconds: float = 300):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    tail = "\n".join(line for line in logs().splitlines() if "error" in line or "fatal" in line)[-2000:]
    raise SlurmError(f"no {what} in {seconds:.0f} s\n{tail}")
