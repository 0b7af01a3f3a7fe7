#!/bin/bash
rm -rf "/tmp/scratch-$SLURM_JOB_ID"