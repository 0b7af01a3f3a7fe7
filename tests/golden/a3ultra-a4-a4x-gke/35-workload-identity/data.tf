# identity trainer
data "google_service_account" "trainer" {
  account_id = "trainer"
}
