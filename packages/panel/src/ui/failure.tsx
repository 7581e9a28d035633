import { Component, type ReactNode } from "react";

interface FailureState {
  readonly message?: string;
}

/** Shows what went wrong where a view cannot be drawn: a blank page would say nothing. */
export class Failure extends Component<{ readonly children: ReactNode }, FailureState> {
  override readonly state: FailureState = {};

  static getDerivedStateFromError(error: unknown): FailureState {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <p className="empty" role="alert">
        {message}
      </p>
    );
  }
}
