"""Copies `models/NAME.nemo` of the bucket MODELS to a folder of the machine: copy_model.py NAME FOLDER.

What is there already stays, so that a job that starts again goes on at once.
"""
import os
import sys
from pathlib import Path

from google.cloud import storage


def main() -> None:
    name, folder = sys.argv[1:]
    to = Path(folder) / f"{name}.nemo"
    if to.exists():
        return
    part = to.with_suffix(".part")
    to.parent.mkdir(parents=True, exist_ok=True)
    client = storage.Client(project=os.environ.get("CLOUD_ML_PROJECT_ID"))
    client.bucket(os.environ["MODELS"]).blob(f"models/{name}.nemo").download_to_filename(str(part))
    part.rename(to)


main()
