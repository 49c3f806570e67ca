// Masks passwords in texts that people read: error messages, and the values of settings.

/**
 * In URLs, even malformed ones, and in lists like `host=x password=y`. Masks too much rather than too little: a password may
 * contain an unescaped slash or at sign.
 */
export function maskPasswords(text: string): string {
  return text
    .replaceAll(/(:\/{0,2}[^:/\s@]*):[^\n]*@/g, '$1:***@')
    .replaceAll(/(password\s*=\s*)(?:'[^']*'?|"[^"]*"?|[^&\s"']+)/gi, '$1***');
}
