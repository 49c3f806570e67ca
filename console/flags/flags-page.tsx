export default function Page() {
  return (
    <main id="main" className="page" tabIndex={-1}>
      flags/flags-page
    </main>
  );
}
