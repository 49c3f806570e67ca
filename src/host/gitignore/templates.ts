// Templates of `.gitignore`.

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

export const IGNORE_TEMPLATES: readonly string[] = Object.keys(IGNORED);

/** Undefined where there is no such template. */
export function ignoredFilesOf(template: string): string | undefined {
  const patterns = Object.hasOwn(IGNORED, template) ? IGNORED[template] : undefined;
  return patterns && `${patterns.join('\n')}\n`;
}
