"""Slurm's server for what jobs used on this one machine, from a rendered configuration: MariaDB, and slurmdbd in front of it.

The page beside the configuration says what is typed on the host of the server and, once a controller runs, who may submit. Its own lines
are run here: those about the database, and those for `sacctmgr`.
"""
import getpass
import re
import shutil
import subprocess
from pathlib import Path

PROGRAMS = ("mariadb-install-db", "mariadbd", "mariadb", "slurmdbd", "sacctmgr")
# of the host that the server is on, and of who may read its log
OF_THE_SITE = ("dbdhost", "dbdaddr", "slurmuser", "logfile", "storagehost", "storageuser")


def missing() -> list[str]:
    return [program for program in PROGRAMS if not shutil.which(program)]


class Accounts:
    """The rendered configuration of one cluster's server, and the daemons that are started from it."""

    def __init__(self, conf: Path, folder: Path, host: str, port: int):
        self.conf, self.dir, self.host, self.port = conf, folder / "accounts", host, port
        self.page = (conf.parents[1] / "README.md").read_text()
        self.dir.mkdir()

    def settings(self, munge: Path) -> list[str]:
        """Of slurm.conf: the server is on this machine."""
        return ["AccountingStorageHost=127.0.0.1", f"AccountingStoragePort={self.port}", f"AccountingStoragePass={munge}"]

    def daemons(self, munge: Path) -> list[list[str]]:
        kept = [line for line in self.conf.read_text().splitlines() if line.split("=")[0].lower() not in OF_THE_SITE and "#" not in line]
        kept += [f"DbdHost={self.host}", "DbdAddr=127.0.0.1", f"DbdPort={self.port}", f"SlurmUser={getpass.getuser()}",
                 f"LogFile={self.dir.parent}/log/slurmdbd.log", f"PidFile={self.dir}/slurmdbd.pid", "StorageHost=localhost",
                 f"StorageUser={getpass.getuser()}", f"AuthInfo=socket={munge}"]
        own = self.dir.parent / "slurmdbd.conf"
        own.write_text("\n".join(kept) + "\n")
        own.chmod(0o600)
        subprocess.run(["mariadb-install-db", f"--datadir={self.dir}/data", f"--user={getpass.getuser()}", "--auth-root-authentication-method=socket",
                        f"--auth-root-socket-user={getpass.getuser()}", "--skip-test-db"], check=True, capture_output=True)
        return [["mariadbd", "--no-defaults", f"--datadir={self.dir}/data", f"--socket={self.socket}", "--skip-networking",
                 f"--pid-file={self.dir}/mariadbd.pid", f"--user={getpass.getuser()}", "--innodb-buffer-pool-size=64M"],
                ["slurmdbd", "-D"]]

    @property
    def socket(self) -> Path:
        return self.dir / "socket"

    @property
    def environment(self) -> dict[str, str]:
        return {"MYSQL_UNIX_PORT": str(self.socket), "MARIADB_UNIX_PORT": str(self.socket)}

    def statements(self) -> str:
        """What the page has typed about the database, for the one that is here."""
        lines = [line for line in self.page.splitlines() if "sudo mysql " in line]
        return "\n".join(line.replace("sudo mysql ", f"mariadb --socket={self.socket} ") for line in lines)

    def who_may_submit(self) -> list[str]:
        """The page's lines, for the one user that there is here."""
        lines = [line for line in self.page.splitlines() if line.startswith("sudo sacctmgr --immediate ")]
        return [re.sub(r"\bACCOUNT\b", "lab", re.sub(r"\bUSER\b", getpass.getuser(), line.removeprefix("sudo "))) for line in lines]
