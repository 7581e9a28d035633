import type { ReactNode } from "react";

/** A view that has nothing to show, and says why. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <h1>{title}</h1>
      {children}
    </div>
  );
}
