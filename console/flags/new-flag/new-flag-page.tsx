export default function NewFlagPage() {
  return null;
}
