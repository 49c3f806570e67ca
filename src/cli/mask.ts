// Keeps passwords out of what is printed: in URLs, also in those that are no good, and in lists like `host=x password=y`.

/** Takes rather too much than too little: a password with a slash or an at sign is not written as it should be. */
export function maskPasswords(text: string): string {
  return text
    .replaceAll(/(:\/{0,2}[^:/\s@]*):[^\n]*@/g, '$1:***@')
    .replaceAll(/(password\s*=\s*)(?:'[^']*'?|"[^"]*"?|[^&\s"']+)/gi, '$1***');
}
