// The files of the first commit that a new repository may begin with: README, licence and ignored files.
import { Failure } from '../../kernel/failure.ts';
import { licenseNames } from './license-names.ts';
import { licenseTextOf } from './license-text.ts';
import type { SentRepository } from './requests.ts';

export interface InitialFiles {
  /** Contents by path. Empty where the repository begins without a commit. */
  files: Map<string, string>;
  /** The SPDX identifier of the chosen licence. */
  license: string | null;
}

interface InitialFacts {
  name: string;
  /** The full name of the licence's holder. */
  owner: string;
  year: number;
}

export function initialFilesOf(sent: SentRepository, { name, owner, year }: InitialFacts): InitialFiles {
  const files = new Map<string, string>();
  const { auto_init: begins, gitignore_template: ignore, license_template: licenseKey, description } = sent;
  if (begins === true) {
    const about = description ? `\n${description}\n` : '';
    files.set('README.md', `# ${name}\n${about}`);
  }
  if (ignore) files.set('.gitignore', ignoredFilesOf(ignore));
  if (!licenseKey) return { files, license: null };
  const { id, text } = findLicense(licenseKey);
  files.set('LICENSE', fillLicense(text, owner, year));
  return { files, license: id };
}

/** Patterns by the name of the template, one per line. */
const IGNORED: Record<string, readonly string[]> = {
  C: ['*.o', '*.a', '*.so', '*.out', 'build/'],
  'C++': ['*.o', '*.a', '*.so', '*.out', 'build/', 'cmake-build-*/'],
  Go: ['*.exe', '*.test', '*.out', 'vendor/', 'go.work'],
  Java: ['*.class', '*.jar', '*.war', 'target/', 'build/', '.gradle/'],
  Node: ['node_modules/', 'dist/', 'coverage/', '*.log', '.env', '.env.*'],
  Python: [
    '__pycache__/',
    '*.py[cod]',
    '.venv/',
    'venv/',
    'build/',
    'dist/',
    '*.egg-info/',
    '.pytest_cache/',
  ],
  Ruby: ['*.gem', '.bundle/', 'vendor/bundle/', 'coverage/', 'log/', 'tmp/'],
  Rust: ['target/', '**/*.rs.bk'],
  Swift: ['.build/', 'xcuserdata/', 'DerivedData/', '*.xcuserstate'],
  Terraform: ['.terraform/', '*.tfstate', '*.tfstate.*', 'crash.log'],
};

function ignoredFilesOf(template: string): string {
  const patterns = Object.hasOwn(IGNORED, template) ? IGNORED[template] : undefined;
  if (patterns !== undefined) return `${patterns.join('\n')}\n`;
  throw invalidTemplate('gitignore_template', template, Object.keys(IGNORED).join(', '));
}

/** In whatever case: clients send `mit` and `MIT`. */
function findLicense(key: string): { id: string; text: string } {
  const id = Object.keys(licenseNames()).find((one) => one.toLowerCase() === key.toLowerCase());
  if (id === undefined)
    throw invalidTemplate('license_template', key, 'an SPDX identifier, such as mit or apache-2.0');
  return { id, text: licenseTextOf(id) };
}

/** The places for year and holder are written in a few ways. */
function fillLicense(text: string, owner: string, year: number): string {
  const filled = text
    .replaceAll(/[<[{]\s*(?:year|yyyy)\s*[>\]}]/gi, String(year))
    .replaceAll(
      /[<[{]\s*(?:copyright holders?|name of (?:copyright owner|author)|fullname|owner)\s*[>\]}]/gi,
      () => owner,
    );
  return filled.endsWith('\n') ? filled : `${filled}\n`;
}

function invalidTemplate(field: string, given: string, known: string): Failure {
  return new Failure('invalid', `"${given}" is no template: use one of ${known}`, {
    fields: [{ field, message: `must be one of: ${known}` }],
  });
}
