#!/usr/bin/env bash
# Prepares the cluster nemo for its workloads; running it again changes nothing. kubectl must point at it:
#   gcloud container clusters get-credentials nemo --location=us-central1 --project=my-project --dns-endpoint
set -euo pipefail
cd "$(dirname "$0")"

tools=(kubectl terraform)
for tool in "${tools[@]}"; do
  command -v "$tool" >/dev/null || {
    echo "$tool is not on the PATH, and this script calls it" >&2
    exit 1
  }
done

# jobset 0.10.1
kubectl apply --server-side -f https://github.com/kubernetes-sigs/jobset/releases/download/v0.10.1/manifests.yaml
kubectl wait deployment --all --for=condition=Available --timeout=10m --namespace=jobset-system

# kueue 0.17.1
kubectl apply --server-side -f https://github.com/kubernetes-sigs/kueue/releases/download/v0.17.1/manifests.yaml
kubectl wait deployment --all --for=condition=Available --timeout=10m --namespace=kueue-system

./fill-deferred.sh

kubectl apply --server-side -k .

# What an earlier build asked for and this one does not stays until somebody takes it away. Who may not list it is told so.
known="$(kubectl api-resources --output=name)" || true
kinds=''
for kind in daemonsets.apps networks.networking.gke.io gkenetworkparamsets.networking.gke.io persistentvolumes persistentvolumeclaims checkpointconfigurations.checkpointing.gke.io clusterqueues.kueue.x-k8s.io cohorts.kueue.x-k8s.io localqueues.kueue.x-k8s.io resourceflavors.kueue.x-k8s.io admissionchecks.kueue.x-k8s.io provisioningrequestconfigs.kueue.x-k8s.io multikueueconfigs.kueue.x-k8s.io multikueueclusters.kueue.x-k8s.io topologies.kueue.x-k8s.io workloadpriorityclasses.kueue.x-k8s.io computeclasses.cloud.google.com roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io resourcequotas networkpolicies.networking.k8s.io priorityclasses.scheduling.k8s.io; do
  if grep -qxF "$kind" <<<"$known"; then kinds+="${kinds:+,}$kind"; fi
done
others='app.kubernetes.io/part-of=nemo-gke-default,app.kubernetes.io/version!=6517dfe571fe'
stale="$(kubectl get "$kinds" --all-namespaces --selector="$others" --output=name)" || true
kept="$(kubectl get namespaces,serviceaccounts --all-namespaces --selector="$others" --output=name)" || true
if [[ -n "$stale" ]]; then
  printf 'no longer asked for: %s\n' "${stale//$'\n'/ }" >&2
  printf "to take that away: kubectl delete %s --all-namespaces --selector='%s'\n" "$kinds" "$others" >&2
fi
if [[ -n "$kept" ]]; then
  printf 'no longer asked for, and perhaps in use: %s\n' "${kept//$'\n'/ }" >&2
  echo 'a namespace goes with everything in it, and pods may still run as an account: look before you delete one' >&2
fi
