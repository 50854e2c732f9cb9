"""What all experiments share: data, runs, figures, claims, pages and charts."""
