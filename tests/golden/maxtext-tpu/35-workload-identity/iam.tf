# identity workloads
resource "google_service_account_iam_member" "workloads" {
  for_each = toset(["tpu-training/cloud-tpu-sa"])

  service_account_id = data.google_service_account.workloads.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project_id}.svc.id.goog[${each.value}]"
}
