#!/bin/sh
# An array of jobs for Slurm: sbatch --array=0-63 slurm.sh, with PACKAGES, HEFT_TO and HEFT_RELEASE set.  Job i of n takes
# every n-th package from the i-th on.
#SBATCH --job-name=heft
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
set -u
first=$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))
worker=${HEFT_WORKER:-$(dirname "$0")/worker.sh}
find "$PACKAGES" -mindepth 1 -maxdepth 1 -type d | sort |
	awk -v first="$first" -v step="$SLURM_ARRAY_TASK_COUNT" 'NR % step == first % step' |
	tr '\n' '\0' | xargs -0 -r "$worker"
