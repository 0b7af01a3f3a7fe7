#!/bin/bash
install -d -m 1777 "/tmp/scratch-$SLURM_JOB_ID"