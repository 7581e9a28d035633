import { config } from "zod";

// Before any schema is made: zod would try out whether it may compile code, and the page's policy forbids and reports that.
config({ jitless: true });
