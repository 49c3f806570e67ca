// What the most used licences allow, demand and exclude, in short.

export interface LicenseSummary {
  description: string;
  permissions: readonly string[];
  conditions: readonly string[];
  limitations: readonly string[];
  /** Those that people are offered first. */
  isFeatured?: true;
}

const USE = ['commercial-use', 'modifications', 'distribution', 'private-use'];
const USE_AND_PATENTS = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use'];
const NOTICE = ['include-copyright'];
const COPYLEFT = ['include-copyright', 'document-changes', 'disclose-source', 'same-license'];
const AS_IS = ['liability', 'warranty'];

/** By their keys, in this order. */
export const COMMON_LICENSES: Readonly<Record<string, LicenseSummary>> = {
  'agpl-3.0': {
    description:
      'What is built on the work is published under the same licence, also where it is used over a network.',
    permissions: USE_AND_PATENTS,
    conditions: [
      'include-copyright',
      'document-changes',
      'disclose-source',
      'network-use-disclose',
      'same-license',
    ],
    limitations: AS_IS,
  },
  'apache-2.0': {
    description: 'Anything is allowed, with the notices kept; contributors grant rights to their patents.',
    permissions: USE_AND_PATENTS,
    conditions: ['include-copyright', 'document-changes'],
    limitations: ['trademark-use', ...AS_IS],
    isFeatured: true,
  },
  'bsd-2-clause': {
    description: 'Anything is allowed, with the notice kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsd-3-clause': {
    description:
      'Anything is allowed, with the notice kept, but no advertising with the names of the authors.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
  },
  'bsl-1.0': {
    description: 'Anything is allowed; sources keep the notice, and programs need none.',
    permissions: USE,
    conditions: ['include-copyright--source'],
    limitations: AS_IS,
  },
  'cc0-1.0': {
    description: 'The authors give up their rights as far as they can.',
    permissions: USE,
    conditions: [],
    limitations: ['liability', 'trademark-use', 'patent-use', 'warranty'],
  },
  'epl-2.0': {
    description:
      'Changes of the work are published under the same licence; what is only linked with it need not be.',
    permissions: USE_AND_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    limitations: AS_IS,
  },
  'gpl-2.0': {
    description: 'What is built on the work is passed on with its sources, under the same licence.',
    permissions: USE,
    conditions: COPYLEFT,
    limitations: AS_IS,
  },
  'gpl-3.0': {
    description:
      'What is built on the work is passed on with its sources, under the same licence, with rights to patents.',
    permissions: USE_AND_PATENTS,
    conditions: COPYLEFT,
    limitations: AS_IS,
    isFeatured: true,
  },
  'lgpl-2.1': {
    description:
      'Changes of the library are passed on under the same licence; programs that use it may have another.',
    permissions: USE,
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    limitations: AS_IS,
  },
  mit: {
    description: 'Anything is allowed, with the notice kept.',
    permissions: USE,
    conditions: NOTICE,
    limitations: AS_IS,
    isFeatured: true,
  },
  'mpl-2.0': {
    description:
      'Changed files are published under the same licence; what stands beside them may have another.',
    permissions: USE_AND_PATENTS,
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    limitations: ['liability', 'trademark-use', 'warranty'],
  },
  unlicense: {
    description: 'The work is given to everybody, without conditions.',
    permissions: USE,
    conditions: [],
    limitations: AS_IS,
  },
};
