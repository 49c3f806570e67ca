export default function Page() {
  return (
    <main id="main" className="page" tabIndex={-1}>
      actors/run-page
    </main>
  );
}
