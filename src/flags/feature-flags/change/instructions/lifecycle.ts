// Instructions that archive, deprecate, restore or delete a flag.
import { onFlag } from './kind.ts';

export const DELETE = 'deleteFlag';

export const lifecycleKinds = {
  archiveFlag: onFlag(
    {
      action: 'updateGlobalArchived',
      summary: 'Archives the flag, unless it is a prerequisite of others',
      parameters: {},
    },
    (flag, _, { now }) => (flag.archived ? flag : { ...flag, archived: true, archivedAt: now }),
  ),
  restoreFlag: onFlag(
    { action: 'updateGlobalArchived', summary: 'Brings the flag back from the archive', parameters: {} },
    (flag) => {
      const { archivedAt: _, ...rest } = flag;
      return { ...rest, archived: false };
    },
  ),
  deprecateFlag: onFlag(
    {
      action: 'updateDeprecated',
      summary: 'Marks the flag as one that nobody should use any more',
      parameters: {},
    },
    (flag, _, { now }) => (flag.deprecated ? flag : { ...flag, deprecated: true, deprecatedAt: now }),
  ),
  restoreDeprecatedFlag: onFlag(
    { action: 'updateDeprecated', summary: 'Takes the deprecation back', parameters: {} },
    (flag) => {
      const { deprecatedAt: _, ...rest } = flag;
      return { ...rest, deprecated: false };
    },
  ),
  // The caller of `applyInstructions` deletes the flag.
  [DELETE]: onFlag(
    { action: 'deleteFlag', summary: 'Deletes the flag; nothing can come after it', parameters: {} },
    (flag) => flag,
  ),
};
