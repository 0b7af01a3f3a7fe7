#!/bin/bash
pip install 'jax[tpu]' -f https://storage.googleapis.com/jax-releases/libtpu_releases.html
