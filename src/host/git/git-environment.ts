// The environment and the configuration that every git process runs with.

/** Nothing of the server's own environment but PATH, so that neither its secrets nor its user's settings reach git. */
export function gitEnvironment(): Record<string, string> {
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  return {
    PATH,
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    SSH_ASKPASS: 'false',
    GIT_EDITOR: 'false',
    GIT_PAGER: 'cat',
    GIT_ADVICE: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    // An empty list allows no protocol at all, neither `file` nor `ext`, whatever the configuration says.
    GIT_ALLOW_PROTOCOL: '',
    GIT_PROTOCOL_FROM_USER: '0',
    // A path from outside is never read as a pattern or as pathspec magic such as `:(top)`.
    GIT_LITERAL_PATHSPECS: '1',
  };
}

/** Overrides the configuration of the repository: a changed file must not make git run programs. */
const CONFIG = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.sshCommand': 'false',
  'core.askPass': 'false',
  'core.gitProxy': 'false',
  // Refs of the repository that a fork borrows objects from are not announced to those who push to the fork.
  'core.alternateRefsCommand': 'true',
  'core.fsync': 'all',
  'core.fsyncMethod': 'fsync',
  'core.quotePath': 'false',
  // Larger files are read and written in pieces, and are not compared. Deltas are made of smaller ones only.
  'core.bigFileThreshold': '16m',
  'core.deltaBaseCacheLimit': '64m',
  // Another process that changes the same reference is soon done.
  'core.filesRefLockTimeout': '1000',
  'core.logAllRefUpdates': 'false',
  'gc.auto': '0',
  'gc.autoDetach': 'false',
  'receive.autogc': 'false',
  'maintenance.auto': 'false',
  'protocol.allow': 'never',
  'protocol.file.allow': 'never',
  'protocol.ext.allow': 'never',
  'submodule.recurse': 'false',
  'fetch.recurseSubmodules': 'false',
  'log.showSignature': 'false',
  'gpg.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.x509.program': 'false',
  // A file of the repository could otherwise rename the authors of its commits.
  'mailmap.blob': '',
  'credential.helper': '',
  // The folder may belong to another user than the server's, for example on a volume of a container.
  'safe.directory': '*',
};

/** What stands before every command. */
export const GIT_OPTIONS: readonly string[] = [
  '--no-pager',
  ...Object.entries(CONFIG).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
];
