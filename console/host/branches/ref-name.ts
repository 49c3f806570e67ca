// Which names branches and tags may have.

const BAD_NAME = /[\s~^:?*[\\\p{Cc}]|\.\.|@\{|\/\/|\/\.|^[/.-]|[/.]$|\.lock$/u;

/** As git has it; the server decides. */
export function isRefName(name: string): boolean {
  return name !== '' && !BAD_NAME.test(name);
}
