// The due work that takes a deleted label from its issues, some at a time: there may be very many.
import type { BackgroundWork } from '../../kernel/http/protocol.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { withLabel } from '../issues/lists/facets.ts';
import { deleteSomeFacets } from '../issues/lists/store-facets.ts';
import { deleteSomeLabelLinks } from './store.ts';

/** Its payload is the id of the label. */
export const REMOVE_LABEL = 'host.remove-label';

/** Rows of one statement. */
const AT_ONCE = 500;

export function labelWork({ db }: Kernel): BackgroundWork {
  return {
    handlers: {
      async [REMOVE_LABEL]({ payload }, signal) {
        const id = Number(payload);
        while (await deleteSomeLabelLinks(db, id, AT_ONCE)) signal.throwIfAborted();
        while (await deleteSomeFacets(db, withLabel(id), AT_ONCE)) signal.throwIfAborted();
      },
    },
  };
}
