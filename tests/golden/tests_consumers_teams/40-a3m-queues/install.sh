#!/usr/bin/env bash
# Prepares the cluster a3m for its workloads; running it again changes nothing. kubectl must point at it:
#   gcloud container clusters get-credentials a3m --location=us-east4 --project=my-project --dns-endpoint
set -euo pipefail
cd "$(dirname "$0")"

tools=(kubectl)
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
kubectl apply --server-side -k kueue
kubectl rollout status deployment/kueue-controller-manager --namespace=kueue-system --timeout=10m || {
  echo 'its manager does not start; what it says of its configuration:' >&2
  kubectl logs deployment/kueue-controller-manager --namespace=kueue-system --tail=20 >&2
  exit 1
}
kubectl wait deployment --all --for=condition=Available --timeout=10m --namespace=kueue-system

kubectl apply --server-side -k .

# A quota of JobSets counts them only if it was made after the cluster had looked at what JobSet defines, which takes it half a minute.
# Until then it refuses all.
counted=(vision speech)
for namespace in "${counted[@]}"; do
  for _ in {1..20}; do
    used="$(kubectl get resourcequota team --namespace="$namespace" --output=jsonpath='{.status.used}')"
    [[ $used != *jobsets* ]] || break
    sleep 10
    kubectl delete resourcequota team --namespace="$namespace" --ignore-not-found >/dev/null
    kubectl apply --server-side -k . >/dev/null
    sleep 2
  done
done

# What an earlier build asked for and this one does not stays until somebody takes it away. Who may not list it is told so.
known="$(kubectl api-resources --output=name)" || true
kinds=''
for kind in daemonsets.apps networks.networking.gke.io gkenetworkparamsets.networking.gke.io persistentvolumes persistentvolumeclaims checkpointconfigurations.checkpointing.gke.io clusterqueues.kueue.x-k8s.io cohorts.kueue.x-k8s.io localqueues.kueue.x-k8s.io resourceflavors.kueue.x-k8s.io admissionchecks.kueue.x-k8s.io provisioningrequestconfigs.kueue.x-k8s.io multikueueconfigs.kueue.x-k8s.io multikueueclusters.kueue.x-k8s.io topologies.kueue.x-k8s.io workloadpriorityclasses.kueue.x-k8s.io computeclasses.cloud.google.com roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io resourcequotas networkpolicies.networking.k8s.io priorityclasses.scheduling.k8s.io; do
  if grep -qxF "$kind" <<<"$known"; then kinds+="${kinds:+,}$kind"; fi
done
others='app.kubernetes.io/part-of=teams-default,app.kubernetes.io/version!=118e87613de9'
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
