// The language and the content type of a file, by its name.
import { languageOf } from '../git/language-table.ts';

/** Documentation and data, which do not count as languages of repositories. */
const FURTHER_LANGUAGES = new Map(
  Object.entries({
    csv: 'CSV',
    diff: 'Diff',
    ini: 'INI',
    json: 'JSON',
    log: 'Text',
    markdown: 'Markdown',
    md: 'Markdown',
    patch: 'Diff',
    rst: 'reStructuredText',
    svg: 'SVG',
    toml: 'TOML',
    tsv: 'TSV',
    txt: 'Text',
    xml: 'XML',
    yaml: 'YAML',
    yml: 'YAML',
  }),
);

const TYPES = new Map(
  Object.entries({
    C: 'text/x-csrc',
    CSS: 'text/css',
    CSV: 'text/csv',
    Go: 'text/x-go',
    HTML: 'text/html',
    INI: 'text/x-properties',
    JSON: 'application/json',
    Java: 'text/x-java-source',
    JavaScript: 'application/javascript',
    Markdown: 'text/markdown',
    PHP: 'application/x-httpd-php',
    Python: 'application/x-python',
    Ruby: 'application/x-ruby',
    Rust: 'text/x-rust',
    SQL: 'application/sql',
    SVG: 'image/svg+xml',
    Shell: 'application/x-sh',
    TypeScript: 'application/typescript',
    XML: 'application/xml',
    YAML: 'text/x-yaml',
  }),
);

const IMAGES = new Map(
  Object.entries({
    gif: 'image/gif',
    jpeg: 'image/jpeg',
    jpg: 'image/jpeg',
    png: 'image/png',
    webp: 'image/webp',
  }),
);

/** Undefined where the name says nothing. */
export function gistLanguageOf(name: string): string | undefined {
  return languageOf(name) ?? FURTHER_LANGUAGES.get(extensionOf(name));
}

export function gistTypeOf(name: string): string {
  return IMAGES.get(extensionOf(name)) ?? TYPES.get(gistLanguageOf(name) ?? '') ?? 'text/plain';
}

function extensionOf(name: string): string {
  return /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
}
