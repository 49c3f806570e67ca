// The address of a line of code, from the template that the owner of a repository has chosen.

export interface CodePlace {
  branch: string;
  file: string;
  line: number;
}

/** Only these are addresses of pages. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

export function encodePath(file: string): string {
  return file.split('/').map(encodeURIComponent).join('/');
}

/** Undefined where the template is no address of a page. */
export function lineLinkFrom(template: string, { branch, file, line }: CodePlace): string | undefined {
  if (!isWebAddress(template)) return undefined;
  return template
    .replaceAll('${branchName}', encodeURIComponent(branch))
    .replaceAll('${filePath}', encodePath(file))
    .replaceAll('${lineNumber}', String(line));
}
