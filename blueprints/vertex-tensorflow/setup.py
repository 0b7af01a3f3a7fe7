"""The package that Google's prebuilt images install: `python3 setup.py sdist` writes dist/trainer-0.3.tar.gz."""
from setuptools import setup

setup(name="trainer", version="0.3", packages=["trainer"], install_requires=["cloudml-hypertune==0.1.0.dev6"])
