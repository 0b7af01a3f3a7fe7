# identity trainer
resource "google_service_account_iam_member" "trainer" {
  for_each = toset(["research/trainer"])

  service_account_id = data.google_service_account.trainer.name
  role               = "roles/iam.workloadIdentityUser"
  member             = "serviceAccount:${var.project_id}.svc.id.goog[${each.value}]"
}
