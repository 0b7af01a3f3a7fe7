# identity runner
resource "google_service_account_iam_member" "runner" {
  for_each = toset(["tpu-training/runner"])

  service_account_id = data.google_service_account.runner.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project_id}.svc.id.goog[${each.value}]"
}
