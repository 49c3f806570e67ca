// A page that fails does not take the frame with it. Where its code is gone, there is a new release.
import { Component, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/states.tsx';
import { WORDS } from './words.ts';

interface BoundaryProps {
  location: string;
  children: ReactNode;
}

interface BoundaryState {
  error?: Error | undefined;
  location?: string;
}

export class PageBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = {};

  static getDerivedStateFromError(error: Error): BoundaryState {
    return { error };
  }

  /** Another page is another try. */
  static getDerivedStateFromProps({ location }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return location === state.location ? null : { location, error: undefined };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const isGone = /import|fetch|load/i.test(error.message) && error instanceof TypeError;
    return (
      <main id="main" className="page" tabIndex={-1}>
        <EmptyState
          icon="err"
          title={isGone ? WORDS.newRelease : WORDS.failed.title}
          text={isGone ? WORDS.reload : `${WORDS.failed.text} (${error.message})`}
          action={
            <Button tone="primary" onClick={() => location.reload()}>
              {WORDS.reload}
            </Button>
          }
        />
      </main>
    );
  }
}
