import { render, Text } from "ink";
import { createElement } from "react";

// The smallest program that Ink can make: what the first frame costs before anything of ours.
render(createElement(Text, null, "one line of text"));
