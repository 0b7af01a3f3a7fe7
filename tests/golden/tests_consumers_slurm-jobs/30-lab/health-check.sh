#!/bin/bash
test -d /shared
