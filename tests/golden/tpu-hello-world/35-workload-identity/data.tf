# identity runner
data "google_service_account" "runner" {
  account_id = "runner"
}
