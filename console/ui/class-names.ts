/** The names that apply, as one value for `className`; undefined where none does. */
export function classNames(...names: (string | false | undefined)[]): string | undefined {
  const applying = names.filter((name) => typeof name === 'string' && name !== '');
  return applying.length === 0 ? undefined : applying.join(' ');
}
